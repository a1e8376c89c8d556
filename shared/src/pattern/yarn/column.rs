//! The columns a vertex of a `.yarn` file may have.

use crate::pattern::Vertex;
use crate::text;

/// How the numbers of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    /// A length in the file's unit.
    Length,
    /// A number without unit, or an angle in radians.
    Number,
    /// A whole number.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    X,
    Y,
    Z,
    Twist,
    ShiftX,
    ShiftY,
    RestLength,
    RestCurvature1,
    RestCurvature2,
    RestTwist,
    DirectorX,
    DirectorY,
    DirectorZ,
    ReferenceTwist,
}

impl Column {
    pub(super) const COUNT: usize = 15;

    /// All columns in the order in which they are written.
    pub(super) const ALL: [Column; Column::COUNT] = [
        Column::Id,
        Column::X,
        Column::Y,
        Column::Z,
        Column::Twist,
        Column::ShiftX,
        Column::ShiftY,
        Column::RestLength,
        Column::RestCurvature1,
        Column::RestCurvature2,
        Column::RestTwist,
        Column::DirectorX,
        Column::DirectorY,
        Column::DirectorZ,
        Column::ReferenceTwist,
    ];

    /// The columns of a file that has no line 'columns'.
    pub(super) const DEFAULT: [Column; 3] = [Column::X, Column::Y, Column::Z];

    /// Columns that make sense together only.
    const GROUPS: [&'static [Column]; 4] = [
        &Column::DEFAULT,
        &[Column::ShiftX, Column::ShiftY],
        &[Column::RestCurvature1, Column::RestCurvature2],
        &[Column::DirectorX, Column::DirectorY, Column::DirectorZ],
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Column::Id => "id",
            Column::X => "x",
            Column::Y => "y",
            Column::Z => "z",
            Column::Twist => "twist",
            Column::ShiftX => "shift_x",
            Column::ShiftY => "shift_y",
            Column::RestLength => "rest_length",
            Column::RestCurvature1 => "rest_curvature_1",
            Column::RestCurvature2 => "rest_curvature_2",
            Column::RestTwist => "rest_twist",
            Column::DirectorX => "director_x",
            Column::DirectorY => "director_y",
            Column::DirectorZ => "director_z",
            Column::ReferenceTwist => "reference_twist",
        }
    }

    pub(super) fn kind(self) -> NumberKind {
        match self {
            Column::Id | Column::ShiftX | Column::ShiftY => NumberKind::Whole,
            Column::X | Column::Y | Column::Z | Column::RestLength => NumberKind::Length,
            _ => NumberKind::Number,
        }
    }

    /// Where a vertex keeps the number. Whole numbers are no part of this: theirs is the position.
    pub(super) fn slot(self, vertex: &mut Vertex) -> &mut f64 {
        match self {
            Column::Y => &mut vertex.position[1],
            Column::Z => &mut vertex.position[2],
            Column::Twist => &mut vertex.twist,
            Column::RestLength => &mut vertex.rest_length,
            Column::RestCurvature1 => &mut vertex.rest_curvature[0],
            Column::RestCurvature2 => &mut vertex.rest_curvature[1],
            Column::RestTwist => &mut vertex.rest_twist,
            Column::DirectorX => &mut vertex.reference_director[0],
            Column::DirectorY => &mut vertex.reference_director[1],
            Column::DirectorZ => &mut vertex.reference_director[2],
            Column::ReferenceTwist => &mut vertex.reference_twist,
            Column::Id | Column::ShiftX | Column::ShiftY | Column::X => &mut vertex.position[0],
        }
    }

    /// The columns that must be there together with this one, itself among them.
    pub(super) fn group(self) -> Vec<Column> {
        Column::GROUPS.into_iter().find(|group| group.contains(&self)).map_or_else(|| vec![self], <[Column]>::to_vec)
    }
}

/// The columns named by the words of a line, or what is wrong with them.
pub(super) fn list(words: &[&str]) -> Result<Vec<Column>, String> {
    let mut columns = Vec::new();
    for word in words {
        let column = Column::ALL.into_iter().find(|c| c.name() == *word).ok_or_else(|| {
            let known = Column::ALL.map(Column::name).join(" ");
            format!("columns: '{}' is not known, known are: {known}", text::shorten(word))
        })?;
        if columns.contains(&column) {
            return Err(format!("columns: '{word}' is named twice"));
        }
        columns.push(column);
    }
    let needed = columns.iter().flat_map(|c| c.group()).chain(Column::DEFAULT);
    match needed.into_iter().find(|c| !columns.contains(c)) {
        Some(missing) => {
            let together = missing.group().iter().map(|c| c.name()).collect::<Vec<_>>().join(" ");
            Err(format!("columns: '{}' is missing, these go together: {together}", missing.name()))
        }
        None => Ok(columns),
    }
}
