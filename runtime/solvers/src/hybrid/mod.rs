//! Yarns where they matter, triangles elsewhere \[Casafranca20\].

mod coupling;
mod locate;
mod mass;
mod region;
mod registration;
mod weights;
