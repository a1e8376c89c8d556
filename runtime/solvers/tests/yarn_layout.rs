//! Garments: panels of any outline, seams between them.
#![cfg(feature = "yarn-level")]

use nalgebra::Vector3;
use std::collections::BTreeSet;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::model::{
    Family, Garment, GarmentLayout, NodeKind, Panel, PanelEdge, Placement, Seam, Sheet, Weave,
};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

const L: f64 = 1e-3;

fn panel(outline: &[[f64; 2]]) -> Panel {
    Panel {
        name: String::new(),
        outline: outline.iter().map(|p| p.map(|c| c * L)).collect(),
        draft: "plain".into(),
        warp_angle: 0.0,
        placement: Placement::default(),
    }
}

fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Panel {
    panel(&[[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
}

fn seam(a: (usize, usize), b: (usize, usize)) -> Seam {
    let edge = |(panel, edge)| PanelEdge { panel, edge };
    Seam { a: edge(a), b: edge(b), reversed: None }
}

fn layout(panels: Vec<Panel>, seams: Vec<Seam>) -> GarmentLayout {
    let layout = Garment { panels, seams }.layout(YarnMaterial::default()).unwrap();
    assert_eq!(layout.weave.inconsistency(&layout.weave.arcs), None);
    layout
}

fn problem(panels: Vec<Panel>, seams: Vec<Seam>) -> String {
    Garment { panels, seams }.weave(YarnMaterial::default()).unwrap_err().to_string()
}

fn count(weave: &Weave, kind: impl Fn(NodeKind) -> bool) -> usize {
    weave.kinds.iter().filter(|k| kind(**k)).count()
}

#[test]
fn a_rectangle_is_a_sheet() {
    let text = "11110/11011/01111/11101/10111";
    let sheet = Sheet::new(9, 7, Draft::parse(text).unwrap(), YarnMaterial::default()).weave().unwrap();
    let laid = layout(vec![Panel { draft: text.into(), ..rectangle(-0.5, -0.5, 9.0, 7.0) }], Vec::new()).weave;
    assert_eq!((&laid.kinds, &laid.links, &laid.yarns), (&sheet.kinds, &sheet.links, &sheet.yarns));
    for (a, b) in laid.positions.iter().zip(&sheet.positions) {
        assert!((a - b).norm() < 1e-15, "{a} {b}");
    }
    let compression = |weave: Weave| YarnSimulation::new(weave, YarnOptions::default()).state().compression.clone();
    let (a, b) = (compression(laid), compression(sheet));
    assert!(a.iter().any(|f| *f > 1e-3));
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn a_turned_panel_at_another_place_is_the_same_cloth() {
    let turned = |angle: f64| {
        let corner = |x: f64, y: f64| [x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos()];
        let outline = [corner(0.0, 0.0), corner(8.0, 0.0), corner(8.0, 6.0), corner(0.0, 6.0)];
        let placement = Placement { origin: [1.0, 2.0, 3.0], u: [0.0, 2.0, 0.0], v: [0.0, 0.0, 1.0] };
        layout(vec![Panel { warp_angle: angle, placement, ..panel(&outline) }], Vec::new()).weave
    };
    let (straight, angled) = (turned(0.0), turned(0.4));
    assert_eq!((&straight.kinds, &straight.links), (&angled.kinds, &angled.links));
    assert!(angled.positions.iter().all(|p| (p.x - 1.0).abs() < 1e-12));
    let (sin, cos) = 0.4_f64.sin_cos();
    for (a, b) in straight.positions.iter().zip(&angled.positions) {
        let (x, y) = (a.y - 2.0, a.z - 3.0);
        let expected = Vector3::new(1.0, 2.0 + x * cos - y * sin, 3.0 + x * sin + y * cos);
        assert!((b - expected).norm() < 1e-12, "{b} {expected}");
    }
    assert!((straight.positions[47] - Vector3::new(1.0, 2.0 + 7.5 * L, 3.0 + 5.5 * L)).norm() < 1e-12);
}

#[test]
fn a_concave_outline_has_yarns_on_both_sides_of_its_notch() {
    // A U: 9 wide, 8 high, with a notch of 3 by 5.
    let u = [[0.0, 0.0], [9.0, 0.0], [9.0, 8.0], [6.0, 8.0], [6.0, 3.0], [3.0, 3.0], [3.0, 8.0], [0.0, 8.0]];
    let laid = layout(vec![panel(&u)], Vec::new());
    let weave = &laid.weave;
    assert_eq!(laid.crossings[0].len(), 9 * 8 - 3 * 5);
    let yarns = |family: Family| weave.yarns.iter().filter(|y| y.family == family).count();
    assert_eq!((yarns(Family::Warp), yarns(Family::Weft)), (9, 3 + 2 * 5));
    assert_eq!(count(weave, |k| k == NodeKind::End), 2 * (9 + 13));
    let mut simulation = YarnSimulation::new(laid.weave, YarnOptions::default());
    simulation.advance(0.02).unwrap();
    assert!(simulation.state().is_sound());
}

#[test]
fn outlines_of_any_shape_have_no_short_piece_and_no_loose_crossing() {
    let mut seen = BTreeSet::new();
    for k in 0..40 {
        // Stars with round corners, turned.
        let radius = |a: f64| 6.0 + 2.5 * (3.0 * a + 0.3 * f64::from(k)).sin();
        let angles = (0..30).map(|i| f64::from(i) * std::f64::consts::TAU / 30.0);
        let outline: Vec<_> = angles.map(|a| [radius(a) * a.cos(), radius(a) * a.sin()]).collect();
        let laid = layout(vec![Panel { warp_angle: 0.1 * f64::from(k), ..panel(&outline) }], Vec::new());
        for (i, kind) in laid.weave.kinds.iter().enumerate() {
            let links = laid.weave.links[i].iter().filter(|l| l.node().is_some()).count();
            assert_eq!(links, if kind.is_crossing() { 4 } else { 1 }, "node {i} of {k}");
        }
        seen.insert(laid.crossings[0].len());
    }
    assert!(seen.len() > 5);
}

/// Two squares side by side, sewn along the edge between them.
fn pair(height: f64, second: Panel) -> GarmentLayout {
    layout(vec![rectangle(0.0, 0.0, 8.0, height), second], vec![seam((0, 1), (1, 3))])
}

#[test]
fn two_rectangles_that_match_are_sewn_into_yarns_that_run_through() {
    let laid = pair(8.0, rectangle(8.0, 0.0, 8.0, 8.0));
    let weave = &laid.weave;
    assert_eq!((count(weave, |k| k == NodeKind::Seam), count(weave, NodeKind::is_crossing)), (8, 128));
    let yarns = |family: Family| weave.yarns.iter().filter(|y| y.family == family).count();
    assert_eq!((yarns(Family::Warp), yarns(Family::Weft), yarns(Family::Seam)), (16, 8, 1));
    assert_eq!(laid.seams[0].len(), 10);
    let long = weave.yarns.iter().position(|y| y.family == Family::Weft).unwrap();
    assert!((weave.length(long) - 16.0 * L).abs() < 1e-12);
    // Where the yarns of the second panel run the other way, each has its own node.
    let placement = Placement { origin: [16.0 * L, 8.0 * L, 0.0], u: [-1.0, 0.0, 0.0], v: [0.0, -1.0, 0.0] };
    let turned = Panel { placement, ..rectangle(0.0, 0.0, 8.0, 8.0) };
    let laid = layout(vec![rectangle(0.0, 0.0, 8.0, 8.0), turned], vec![seam((0, 1), (1, 1))]);
    assert_eq!((count(&laid.weave, |k| k == NodeKind::Seam), laid.weave.yarns.len()), (16, 16 + 16 + 1));
}

#[test]
fn two_sewn_rectangles_hang_together() {
    for second in [rectangle(8.0, 0.0, 8.0, 8.0), Panel { warp_angle: 0.6, ..rectangle(8.0, 0.0, 8.0, 8.0) }] {
        let laid = pair(8.0, second);
        let seam = laid.seams[0].clone();
        let held = laid.crossings[0].iter().filter(|c| c.warp == 0).map(|c| c.node as u32).collect();
        let lowest = laid.crossings[1].iter().max_by(|a, b| a.warp.cmp(&b.warp)).unwrap().node;
        let mut simulation = YarnSimulation::new(laid.weave, YarnOptions::default());
        simulation.pins.push(YarnPin::still(held));
        simulation.gravity = Vector3::new(9.81, 0.0, -2.0);
        simulation.advance(0.1).unwrap();
        let state = simulation.state();
        assert!(state.is_sound());
        assert_eq!(simulation.weave().inconsistency(&state.arcs), None);
        assert!(state.positions[lowest].z < -0.5 * L, "it swings: {}", state.positions[lowest]);
        for pair in seam.windows(2) {
            let rest = (simulation.weave().positions[pair[1]] - simulation.weave().positions[pair[0]]).norm();
            let now = (state.positions[pair[1]] - state.positions[pair[0]]).norm();
            assert!((now / rest - 1.0).abs() < 0.01, "{now} of {rest}");
        }
        // Every piece that ends on the seam is still there, and hardly longer.
        let mut pieces = 0;
        for node in &seam[1..seam.len() - 1] {
            for link in &simulation.weave().links[*node][2..] {
                let Some((n, back)) = link.get() else { continue };
                let rest = (state.arcs[n][back.slot().index()] - state.arcs[*node][1]).abs();
                let now = (state.positions[n] - state.positions[*node]).norm();
                assert!(now < 1.02 * rest, "{now} of {rest}");
                pieces += 1;
            }
        }
        assert!(pieces >= 16);
    }
}

#[test]
fn a_slanted_seam_keeps_nodes_apart() {
    // Two trapezoids that share a slanted edge.
    let left = panel(&[[0.0, 0.0], [6.0, 0.0], [11.0, 10.0], [0.0, 10.0]]);
    let right = panel(&[[6.0, 0.0], [16.0, 0.0], [16.0, 10.0], [11.0, 10.0]]);
    for angle in [0.0, 0.3, 0.8, 1.57] {
        let right = Panel { warp_angle: angle, ..right.clone() };
        let laid = layout(vec![left.clone(), right], vec![seam((0, 1), (1, 3))]);
        let weave = &laid.weave;
        for pair in laid.seams[0].windows(2) {
            assert!((weave.positions[pair[1]] - weave.positions[pair[0]]).norm() >= 0.3 * L);
        }
        let mut simulation = YarnSimulation::new(laid.weave, YarnOptions::default());
        simulation.pins.push(YarnPin::still(vec![laid.crossings[0][0].node as u32]));
        simulation.advance(0.02).unwrap();
        assert!(simulation.state().is_sound());
    }
}

#[test]
fn a_ring_of_panels_has_yarns_with_ends() {
    // Front and back of a flat tube: wefts would run around without end.
    let gap = 0.4 * L;
    let back = Placement { origin: [8.0 * L, 0.0, -gap], u: [-1.0, 0.0, 0.0], v: [0.0, 1.0, 0.0] };
    let panels = vec![rectangle(0.0, 0.0, 8.0, 6.0), Panel { placement: back, ..rectangle(0.0, 0.0, 8.0, 6.0) }];
    let laid = layout(panels, vec![seam((0, 1), (1, 3)), seam((0, 3), (1, 1))]);
    let wefts = laid.weave.yarns.iter().filter(|y| y.family == Family::Weft).count();
    assert_eq!((wefts, count(&laid.weave, |k| k == NodeKind::Seam)), (6, 6 + 12));
    let mut simulation = YarnSimulation::new(laid.weave, YarnOptions::default());
    simulation.gravity = Vector3::zeros();
    // Bent yarns push the outermost warps against the seams, which hold them.
    simulation.advance(0.1).unwrap();
    assert!(simulation.state().is_sound());
}

#[test]
fn degenerate_layouts_are_laid_or_refused_with_one_clear_report() {
    // One warp; one crossing.
    let one_yarn = layout(vec![rectangle(0.0, 0.0, 1.0, 5.0)], Vec::new());
    assert_eq!(one_yarn.weave.yarns.len(), 6);
    let one_crossing = layout(vec![rectangle(0.0, 0.0, 1.0, 1.0)], Vec::new());
    assert_eq!((one_crossing.weave.yarns.len(), one_crossing.crossings[0].len()), (2, 1));
    for weave in [one_yarn.weave, one_crossing.weave] {
        let mut simulation = YarnSimulation::new(weave, YarnOptions::default());
        simulation.advance(0.02).unwrap();
        assert!(simulation.state().is_sound());
    }
    // A thin slant that no crossing falls into.
    let sliver = panel(&[[0.0, 0.0], [0.1, 0.0], [3.1, 2.0], [3.0, 2.0]]);
    assert!(problem(vec![sliver], Vec::new()).contains("panel 0: no warp and weft cross"));
    let small = Panel { name: "cuff".into(), ..rectangle(0.0, 0.0, 0.5, 4.0) };
    assert!(problem(vec![small], Vec::new()).contains("panel 0 (cuff): 5.000e-4 m by 4.000e-3 m"));
    assert!(problem(vec![panel(&[])], Vec::new()).contains("panel 0: an outline of 0 vertices"));
    assert!(problem(Vec::new(), Vec::new()).contains("no panel"));
    let crossed = panel(&[[0.0, 0.0], [5.0, 5.0], [5.0, 0.0], [0.0, 5.0]]);
    assert!(problem(vec![crossed], Vec::new()).contains("vertex 0 and from vertex 2 intersect"));
    let nan = panel(&[[0.0, 0.0], [5.0, 0.0], [f64::NAN, 5.0]]);
    assert!(problem(vec![rectangle(0.0, 0.0, 5.0, 5.0), nan], Vec::new()).contains("panel 1: vertex 2"));
    assert!(problem(vec![rectangle(0.0, 0.0, 5e5, 5e5)], Vec::new()).contains("larger spacing"));
    let square = || rectangle(0.0, 0.0, 5.0, 5.0);
    assert!(problem(vec![Panel { draft: "denim".into(), ..square() }], Vec::new()).contains("denim"));
    assert!(problem(vec![Panel { warp_angle: f64::NAN, ..square() }], Vec::new()).contains("warp_angle"));
    let flat = Placement { v: [1.0, 0.0, 0.0], ..Default::default() };
    assert!(problem(vec![Panel { placement: flat, ..square() }], Vec::new()).contains("across each other"));
    // Yarns as thick as their distance allows, and thicker.
    let limit = YarnMaterial { radius: 0.5 * L * (1.0 - 1e-9), ..Default::default() };
    let garment = Garment { panels: vec![square()], seams: Vec::new() };
    let mut simulation = YarnSimulation::new(garment.weave(limit).unwrap(), YarnOptions::default());
    simulation.advance(0.01).unwrap();
    assert!(simulation.state().is_sound());
    let thick = YarnMaterial { radius: 0.5 * L, ..Default::default() };
    assert!(garment.weave(thick).unwrap_err().to_string().contains("thicker"));
}

#[test]
fn seams_that_cannot_be_sewn_are_refused() {
    let panels = || vec![rectangle(0.0, 0.0, 5.0, 5.0), rectangle(5.0, 0.0, 5.0, 5.0)];
    let cases = [
        (vec![seam((0, 1), (1, 9))], "panel 1 has no edge 9"),
        (vec![seam((0, 1), (7, 0))], "panel 7 has no edge 0"),
        (vec![seam((0, 1), (1, 3)), seam((0, 1), (1, 0))], "edge 1 of panel 0 is sewn more than once"),
        (vec![seam((0, 1), (0, 1))], "more than once"),
        (vec![seam((0, 1), (1, 1))], "apart at an end"),
        (vec![Seam { reversed: Some(false), ..seam((0, 1), (1, 3)) }], "apart at an end"),
    ];
    for (seams, expected) in cases {
        let found = problem(panels(), seams);
        assert!(found.contains(expected) && found.contains("seam"), "{found}");
    }
}

#[test]
fn a_garment_is_data() {
    let text = r#"{
        "panels": [
            { "outline": [[0, 0], [0.008, 0], [0.008, 0.008], [0, 0.008]], "draft": "twill" },
            { "name": "back", "outline": [[0.008, 0], [0.016, 0], [0.016, 0.008], [0.008, 0.008]], "warp_angle": 0.2 }
        ],
        "seams": [{ "a": { "panel": 0, "edge": 1 }, "b": { "panel": 1, "edge": 3 } }]
    }"#;
    let garment: Garment = serde_json::from_str(text).unwrap();
    assert!(garment.weave(YarnMaterial::default()).is_ok());
    let again: Garment = serde_json::from_str(&serde_json::to_string(&garment).unwrap()).unwrap();
    assert_eq!(again, garment);
    let unknown = text.replace("warp_angle", "angel");
    assert!(serde_json::from_str::<Garment>(&unknown).unwrap_err().to_string().contains("angel"));
}
