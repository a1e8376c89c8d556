use crate::draw::{Colors, DrawOptions, Picture, Yarns, draw};
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};

const RED: [u8; 3] = [255, 0, 0];
const BLUE: [u8; 3] = [0, 0, 255];

/// A plain weave with red wefts and blue warps.
fn plain() -> Pattern {
    weave(&Draft::preset("plain").unwrap(), &WeaveOptions::default()).unwrap()
}

fn colored(pattern: &Pattern) -> Yarns<'_> {
    let wefts = pattern.vertices().len() / 2;
    let color = |i: usize| if i < wefts { RED } else { BLUE };
    let colors = Colors::Vertices((0..pattern.vertices().len()).map(color).collect());
    Yarns { colors, ..Yarns::new(pattern) }
}

fn options() -> DrawOptions {
    DrawOptions { tiles: [1, 1], pixels: 80, supersampling: 2, plies: false, period_box: false }
}

/// Which color is seen at a crossing of the only period (2 x 2 threads, 8 mm wide, drawn 80 pixels wide after a margin).
fn seen(picture: &Picture, warp: u32, weft: u32) -> &'static str {
    let [r, _, b] = picture.color(18 + 20 + 40 * warp, 18 + 80 - 20 - 40 * weft).map(u32::from);
    if r > 2 * b {
        "weft"
    } else if b > 2 * r {
        "warp"
    } else {
        "neither"
    }
}

#[test]
fn the_yarn_above_is_the_one_that_is_seen() {
    let pattern = plain();
    let picture = draw(&colored(&pattern), &options());
    // The draft is 10/01 from the top: warp 0 is over weft 1, under weft 0. The window begins where the mean of all
    // vertices says, which is within a pixel of the middle of the cell.
    let all = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(warp, weft)| seen(&picture, warp, weft));
    assert_eq!(all, ["weft", "warp", "warp", "weft"]);
    let back = colored(&pattern);
    let flipped = Yarns { positions: back.positions.iter().map(|p| [p[0], p[1], -p[2]]).collect(), ..back };
    let all = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(warp, weft)| seen(&draw(&flipped, &options()), warp, weft));
    assert_eq!(all, ["warp", "weft", "weft", "warp"]);
}

#[test]
fn a_sheared_lattice_fills_the_window() {
    let pattern = plain();
    let mut yarns = colored(&pattern);
    yarns.lattice[1][0] = 0.5 * yarns.lattice[1][1];
    yarns.positions.iter_mut().for_each(|p| p[0] += 0.5 * p[1]);
    let picture = draw(&yarns, &options());
    // Threads every 4 radii: no place of the front view is further than 2 radii (of about 7 pixels) from a yarn.
    let paper = |x: u32, y: u32| picture.color(x, y).iter().all(|c| *c > 180);
    let empty = (18..80 + 18 - 15).step_by(3).flat_map(|x| (18..70 - 15).step_by(3).map(move |y| (x, y)));
    let holes = empty.filter(|(x, y)| (0..15).all(|i| (0..15).all(|j| paper(x + i, y + j)))).count();
    assert_eq!(holes, 0);
}

#[test]
fn sizes_follow_the_options() {
    let pattern = plain();
    let front = |pixels: u32| draw(&Yarns::new(&pattern), &DrawOptions { pixels, ..options() });
    let (small, large) = (front(60), front(120));
    assert!(small.width > 60 + 3 * 18 && small.width < 60 + 3 * 18 + 60);
    assert!(large.width > 120 + 3 * 18 && large.width > small.width);
}
