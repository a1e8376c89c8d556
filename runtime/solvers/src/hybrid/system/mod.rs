//! The linear system of a Newton iteration, for yarns and triangles together.
mod shell;
mod vertex_matrix;
