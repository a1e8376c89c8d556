//! What a database file says about itself.

/// Sizes and precision of a database file.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FileInfo {
    /// Version of the format.
    pub version: u32,
    /// Size of the whole file.
    pub file_bytes: u64,
    /// Of which header.
    pub header_bytes: u64,
    /// Of which pattern.
    pub pattern_bytes: u64,
    /// Of which records of the samples.
    pub record_bytes: u64,
    /// The in-plane table, then the bending tables x and y if there are any.
    pub tables: Vec<TableInfo>,
}

/// Size and precision of a table in a file. Channels are dX1, dX2, dX3 (meters) and dtheta (radians).
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TableInfo {
    /// Samples along each axis.
    pub axis_lengths: Vec<usize>,
    /// Size as plain f32.
    pub raw_bytes: u64,
    /// Size in the file.
    pub stored_bytes: u64,
    /// Whether every bit was kept.
    pub lossless: bool,
    /// No value is further than this from the one that was given; 0 where lossless.
    pub tolerance: [f64; 4],
    /// The largest difference that there is.
    pub largest_error: [f64; 4],
    /// The quantizer's step.
    pub step: [f64; 4],
}
