//! Compression at crossings: how hard warp and weft press on each other, from directions with crimp.
//!
//! F_n is a number for each crossing, computed once a step from the state at its start [Cirio14, §4.3]:
//!
//! 1. The front normal N, along (x_v+ − x_v−) × (x_u+ − x_u−) (`normal`), and n from the warp to the weft: −N where the warp is
//!    over.
//! 2. Crimped points: the warp's x − R n, the weft's x + R n (`crimp`).
//! 3. F_n = max(0, ½ n·(F_s(u) + F_b(u) − F_s(v) − F_b(v))) [Cirio14, Eq. 9] with the bending forces of crimped points, and
//!    tensions of uncrimped segments along crimped directions (`compression`). Differs from the paper, which recomputes
//!    bending only: flat cloth would get no compression from tension.
//!
//! With crimp as an unknown, F_n is the contact force of the heights in equilibrium (`heights`), at the start of the step too.

mod compression;
mod crimp;
mod heights;
mod normal;

pub(crate) use compression::Around;
pub use compression::update_compression;
pub use crimp::crimped;
pub use heights::crimp_of;
pub use normal::update_normals;
