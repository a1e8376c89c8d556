//! Pictures of yarns have the properties that the yarns have: checked by counting pixels, each with a control that
//! shows that the count can fail.

use yarnwise_runtime::draw::{
    Camera, HeatMap, Light, MeshPipelines, MeshState, MeshStyle, OcclusionOptions, Palette, Ply, Shadow, TubeOptions,
    TubeState, TubeStyle, srgb,
};
use yarnwise_runtime::{
    FrameParams, LayoutOptions, PipelineOptions, StateOptions, YarnLayout, YarnPipelines, YarnState,
};
use yarnwise_shaders::gpu::YarnVertex;
use yarnwise_tests::garment;
use yarnwise_tests::picture::{Extras, Picture, Studio, curve};

/// Light from everywhere and nothing else: a pixel's color is the yarn's own.
fn flat() -> TubeStyle {
    let light = Light { strength: 0.0, sky: [1.0; 3], ground: [1.0; 3], ambient: 1.0, ..Default::default() };
    let ply = Ply { depth: 0.0, fibers: 0.0, ..Default::default() };
    TubeStyle { light, ply, gloss: 0.0, ..Default::default() }
}

/// A straight yarn along x through the middle of a picture.
fn rod(half: f32, radius: f32, segments: usize) -> Vec<YarnVertex> {
    let points: Vec<_> = (0..=segments).map(|i| [half * (2.0 * i as f32 / segments as f32 - 1.0), 0.0, 0.0]).collect();
    curve(&points, radius)
}

/// A ring in the plane of the picture.
fn ring(large: f32, radius: f32, segments: usize) -> Vec<YarnVertex> {
    let angle = |i: usize| i as f32 / segments as f32 * std::f32::consts::TAU;
    let points: Vec<_> = (0..=segments).map(|i| [large * angle(i).cos(), large * angle(i).sin(), 0.0]).collect();
    curve(&points, radius)
}

/// Two yarns that cross above the origin, 2.2 radii apart.
fn cross(radius: f32) -> (Vec<YarnVertex>, [u32; 3]) {
    let line = |k: usize, z: f32| -> Vec<[f32; 3]> {
        (0..=8).map(|i| [0, 1, 2].map(|c| if c == k { i as f32 - 4.0 } else { z * (c == 2) as u32 as f32 })).collect()
    };
    let mut vertices = curve(&line(0, 0.0), radius);
    vertices.extend(curve(&line(1, 2.2 * radius), radius));
    (vertices, [0, 9, 18])
}

fn width_at(picture: &Picture, column: usize) -> f64 {
    (0..picture.size).map(|y| picture.coverage(column, y)).sum()
}

/// A rod covers its analytic outline at all levels of detail, from 40 pixels of radius to a tenth of one.
#[test]
fn a_rod_is_as_wide_as_its_cylinder_at_every_level_of_detail() {
    let studio = Studio::new(256, 4);
    let height = 0.256;
    for pixels in [80.0, 40.0, 20.0, 12.0, 7.0, 4.0, 2.0, 1.0, 0.5, 0.2, 0.1] {
        let radius = pixels * 1e-3;
        let picture = studio.shoot(&mut studio.curves(&rod(0.2, radius, 40), &[0, 41]), &studio.above(height), &flat());
        let mean = (64..192).map(|x| width_at(&picture, x)).sum::<f64>() / 128.0;
        let error = mean - 2.0 * f64::from(pixels);
        // The octagon of middle sizes is up to 2.6 % wider than the circle where its corners are at the border.
        assert!(error.abs() < 0.054 * f64::from(pixels) + 0.15, "a radius of {pixels} pixels is {mean:.3} wide");
        // Control: another radius is noticed.
        let other = 2.2 * f64::from(pixels);
        assert!(pixels < 4.0 || (mean - other).abs() > 0.054 * f64::from(pixels) + 0.15);
    }
}

/// The outline of a ring of few vertices is round: subdivision follows the curve, sides follow the section.
#[test]
fn a_ring_of_twelve_vertices_is_round() {
    let studio = Studio::new(512, 4);
    let (large, radius) = (0.16, 0.05);
    let roughness = |segments: usize| {
        let count = segments as u32 + 1;
        let mut tubes = studio.curves(&ring(large, radius, segments), &[0, count]);
        let picture = studio.shoot(&mut tubes, &studio.above(0.512), &flat());
        // Where rays from the middle leave the ring, half a pixel at a time.
        let border = |ray: usize| {
            let angle = ray as f64 / 360.0 * std::f64::consts::TAU;
            let covered = |step: &usize| {
                let at = |c: f64| (256.0 + 0.5 * *step as f64 * c) as usize;
                picture.coverage(at(angle.cos()), 511 - at(angle.sin())) > 0.5
            };
            0.5 * (0..500).filter(covered).max().unwrap_or(0) as f64
        };
        // Not where the open ring's ends meet: their tangents are one-sided.
        let borders: Vec<f64> = (40..320).map(border).collect();
        let low = borders.iter().copied().fold(f64::INFINITY, f64::min);
        let high = borders.iter().copied().fold(0.0, f64::max);
        (low, high)
    };
    let (low, high) = roughness(12);
    assert!(low > 207.5 && high < 212.5, "the border is between {low} and {high} pixels from the middle, not at 210");
    // Control: a ring of four vertices is not.
    let (low, high) = roughness(4);
    assert!(high - low > 6.0, "{low} {high}");
}

/// Both ends of a yarn are closed by half balls.
#[test]
fn ends_are_round() {
    let studio = Studio::new(256, 4);
    let picture = studio.shoot(&mut studio.curves(&rod(0.06, 0.03, 12), &[0, 13]), &studio.above(0.256), &flat());
    let expected = 120.0 * 60.0 + std::f64::consts::PI * 900.0;
    assert!((picture.area() - expected).abs() < 0.015 * expected, "{} of {expected}", picture.area());
    assert!((picture.area() - 7200.0).abs() > 0.1 * expected, "the control: without caps");
    for x in [128 - 88, 128 + 87] {
        assert!(width_at(&picture, x) > 8.0 && width_at(&picture, x) < 35.0, "{}", width_at(&picture, x));
    }
    // From the side ends are seen from outside, not from within: nothing is missing where they face the viewer.
    for eye in [[0.5, 0.0, 0.02], [-0.5, 0.0, 0.02]] {
        let picture = studio.shoot(&mut studio.curves(&rod(0.06, 0.03, 12), &[0, 13]), &studio.from(eye), &flat());
        assert!(picture.coverage(128, 128) > 0.99 && picture.coverage(128, 120) > 0.99);
    }
}

/// With light from everywhere a yarn has exactly its color, and colors go round.
#[test]
fn yarns_have_their_colors() {
    let studio = Studio::new(128, 4);
    let mut vertices = Vec::new();
    for y in [0.04, 0.0, -0.04] {
        vertices.extend(rod(0.2, 0.01, 8).into_iter().map(|v| YarnVertex { position: [v.position[0], y, 0.0], ..v }));
    }
    let colors = vec![[0.8, 0.2, 0.1], [0.1, 0.3, 0.9]];
    let style = TubeStyle { colors: colors.clone(), ..flat() };
    let picture = studio.shoot(&mut studio.curves(&vertices, &[0, 9, 18, 27]), &studio.above(0.128), &style);
    for (row, color) in [(24, colors[0]), (64, colors[1]), (104, colors[0])] {
        let pixel = picture.at(64, row);
        for k in 0..3 {
            let expected = color[k] * 255.0;
            assert!((f32::from(pixel[k]) - expected).abs() < 3.0, "row {row}: {pixel:?}, not {color:?}");
        }
    }
    assert_ne!(picture.at(64, 24), picture.at(64, 64));
}

/// A heat map shows the palette's colors at the values' places, and what is not a number gray.
#[test]
fn a_heat_map_has_the_colors_of_its_legend() {
    let studio = Studio::new(256, 4);
    let mut tubes = studio.curves(&rod(0.128, 0.02, 64), &[0, 65]);
    let values: Vec<f32> = (0..65).map(|i| 3.0 + 2.0 * i as f32 / 64.0).collect();
    tubes.set_values(&studio.queue, &values).unwrap();
    let heat_map = Some(HeatMap { range: [3.0, 5.0], palette: Palette::Dusk, amount: 1.0 });
    let style = TubeStyle { heat_map, ..flat() };
    let picture = studio.shoot(&mut tubes, &studio.above(0.256), &style);
    let legend = |t: f32| Palette::Dusk.color(t).map(|c| c * 255.0);
    for x in [10, 80, 128, 200, 245] {
        let (pixel, expected) = (picture.at(x, 128), legend((x as f32 + 0.5) / 256.0));
        let error = (0..3).map(|k| (f32::from(pixel[k]) - expected[k]).abs()).fold(0.0, f32::max);
        assert!(error < 5.0, "column {x}: {pixel:?}, not {expected:?}");
        assert!(
            (0..3).any(|k| (f32::from(pixel[k]) - legend(0.5 * (x as f32 / 256.0) + 0.3)[k]).abs() > 8.0) || x == 128
        );
    }
    tubes.set_values(&studio.queue, &[f32::NAN; 65]).unwrap();
    let gray = studio.shoot(&mut tubes, &studio.above(0.256), &style).at(128, 128);
    let expected = srgb([0.18; 3]).map(|c| c * 255.0);
    assert!((0..3).all(|k| (f32::from(gray[k]) - expected[k]).abs() < 3.0), "{gray:?}");
    assert!(tubes.set_values(&studio.queue, &values[1..]).is_err(), "too few values");
}

/// A yarn casts a shadow on the one below it, and the crossing is darker with ambient occlusion; neither changes what is
/// covered.
#[test]
fn crossings_are_darker() {
    let studio = Studio::new(256, 4);
    let (vertices, starts) = cross(0.4);
    let light = Light { direction: [-0.6, 0.0, 1.0], ..Default::default() };
    let ply = Ply { depth: 0.0, fibers: 0.0, ..Default::default() };
    let plain = TubeStyle { light, ply, ..Default::default() };
    let shadow = Shadow { radius: 5.0, ..Default::default() };
    let shaded = TubeStyle { shadow: Some(shadow), ..plain.clone() };
    let camera = studio.above_far(8.0);
    let mut tubes = studio.curves(&vertices, &starts);
    let without = studio.shoot(&mut tubes, &camera, &plain);
    let with = studio.shoot(&mut tubes, &camera, &shaded);
    let occlusion = Some(OcclusionOptions { radius: 1.0, ..Default::default() });
    let occluded = studio.shoot_with(&mut tubes, &camera, &plain, &Extras { occlusion, ..Default::default() });
    let bright = |p: &Picture, x: usize, y: usize| p.at(x, y)[..3].iter().map(|c| u32::from(*c)).sum::<u32>();
    // The lamp is to the left: the shadow of the upper yarn falls on the lower one to its right (x = 0.53 m).
    assert!(bright(&with, 128 + 19, 128) < bright(&without, 128 + 19, 128) * 8 / 10);
    assert_eq!(bright(&with, 128 - 90, 128), bright(&without, 128 - 90, 128), "far from the crossing");
    assert!(bright(&occluded, 128 + 15, 128) < bright(&without, 128 + 15, 128) * 95 / 100);
    assert_eq!(bright(&occluded, 128 - 90, 128), bright(&without, 128 - 90, 128), "far from the crossing");
    assert_eq!(with.area(), without.area());
}

/// A bare mesh has its color, hides what is below it, shows its edges when asked, and receives the yarns' shadows.
#[test]
fn bare_meshes_are_drawn_under_the_yarns() {
    let studio = Studio::new(128, 4);
    let pipelines = MeshPipelines::new(&studio.device, &studio.target).unwrap();
    let positions = [[-0.05, -0.05, 0.0], [0.05, -0.05, 0.0], [0.05, 0.05, 0.0], [-0.05, 0.05, 0.0]];
    let faces = [[0, 1, 2], [0, 2, 3]];
    let camera = studio.above(0.128);
    // One yarn above the sheet, one below it.
    let place = |y: f32, z: f32| {
        rod(0.2, 4e-3, 8).into_iter().map(move |v| YarnVertex { position: [v.position[0], y, z], ..v })
    };
    let vertices: Vec<YarnVertex> = place(0.02, 0.01).chain(place(-0.02, -0.01)).collect();
    let mut tubes = studio.curves(&vertices, &[0, 9, 18]);
    let (device, queue) = (&studio.device, &studio.queue);
    let mut mesh = MeshState::new(device, queue, &pipelines, &faces, 4, Some(&tubes)).unwrap();
    let mut shoot = |mesh: &mut MeshState, style: &MeshStyle| {
        mesh.prepare(queue, &positions, &camera, style).unwrap();
        let light = TubeStyle { light: style.light, shadow: style.shadow, ..flat() };
        studio.shoot_with(&mut tubes, &camera, &light, &Extras { mesh: Some((&pipelines, mesh)), ..Default::default() })
    };
    let plain = MeshStyle { faces: Some([0.2, 0.7, 0.3]), light: flat().light, ..Default::default() };
    let picture = shoot(&mut mesh, &plain);
    let sheet = picture.at(64, 84);
    assert!((f32::from(sheet[1]) - 0.7 * 255.0).abs() < 4.0, "{sheet:?} where the yarn is below the sheet");
    assert!(picture.at(64, 44)[0] > picture.at(64, 44)[1], "{:?} where the yarn is above", picture.at(64, 44));
    assert_eq!(picture.at(4, 64)[3], 0, "beside the sheet");
    let edges = shoot(&mut mesh, &MeshStyle { faces: None, edges: Some([1.0; 3]), ..plain });
    assert!(edges.coverage(44, 84) > 0.2 && edges.at(30, 64)[3] == 0, "the diagonal alone");
    let shadow = Some(Shadow { radius: 0.1, ..Default::default() });
    let light = Light { direction: [0.0, 0.5, 1.0], ..Default::default() };
    let [with, without] = [shadow, None].map(|shadow| shoot(&mut mesh, &MeshStyle { light, shadow, ..plain }));
    // The lamp is above and behind: the shadow falls 5 mm in front of the yarn.
    assert!(f32::from(with.at(64, 49)[1]) < 0.8 * f32::from(without.at(64, 49)[1]));
    assert_eq!(with.at(64, 110), without.at(64, 110));
    assert!(mesh.prepare(queue, &positions[1..], &camera, &plain).is_err());
    assert!(MeshState::new(device, queue, &pipelines, &[[0, 1, 4]], 4, None).is_err());
}

/// Yarns of a garment in a picture: none black, none inside out, none missing, at all distances; and nothing changes
/// when its vertices lie in several buffers.
#[test]
fn a_garment_is_drawn_without_black_pixels_from_one_buffer_or_many() {
    let studio = Studio::new(256, 4);
    let mesh = garment::sheet(8, 8, 6e-3);
    let database = garment::database(8);
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    let pipelines = YarnPipelines::new(&studio.device, &PipelineOptions::default()).unwrap();
    let shoot = |options: &StateOptions, eye: [f32; 3]| {
        let (device, queue) = (&studio.device, &studio.queue);
        let mut yarns = YarnState::new(device, queue, &pipelines, &layout, &database, options).unwrap();
        let positions: Vec<[f32; 3]> =
            mesh.positions().iter().map(|p| [1.2 * p[0] - 0.028, p[1] - 0.024, p[2]]).collect();
        yarns.prepare(queue, &FrameParams { positions: &positions, ..Default::default() }).unwrap();
        let mut encoder = device.create_command_encoder(&Default::default());
        pipelines.encode(&mut encoder, &yarns).unwrap();
        queue.submit([encoder.finish()]);
        let mut tubes = TubeState::new(device, queue, &studio.tubes, &layout, &yarns, &TubeOptions::default()).unwrap();
        let shadow = Some(Shadow { radius: 0.05, ..Default::default() });
        studio.shoot(&mut tubes, &studio.from(eye), &TubeStyle { shadow, ..Default::default() })
    };
    let one = StateOptions::default();
    for distance in [0.02, 0.08, 0.3] {
        let picture = shoot(&one, [0.0, -0.3 * distance, distance]);
        let covered: Vec<[u8; 4]> = picture.pixels.iter().copied().filter(|p| p[3] > 250).collect();
        assert!(covered.len() > 200, "{} pixels of yarn", covered.len());
        let darkest = covered.iter().map(|p| p[0]).min().unwrap();
        assert!(darkest > 25, "a yarn of {darkest} out of 255 at {distance} m");
        assert!(covered.iter().any(|p| p[0] > 150), "the control: something is lit");
    }
    let eye = [0.0, -0.02, 0.08];
    let many = StateOptions { max_part_vertices: Some(64), ..Default::default() };
    let difference = shoot(&one, eye).difference(&shoot(&many, eye));
    assert!(difference < 0.02, "cut into parts, the picture differs by {difference}");
    assert!(shoot(&one, eye).difference(&shoot(&one, [0.0, -0.021, 0.08])) > 0.1, "the control: another camera");
}

/// A grid of yarns, as far away as cloth on a figure: a small move of the camera changes little, and coverage stays from
/// one level of detail to the next.
#[test]
fn distant_cloth_neither_flickers_nor_changes_its_coverage() {
    let studio = Studio::new(128, 4);
    let mut vertices = Vec::new();
    let mut starts = vec![0];
    for i in -20..=20 {
        for along_x in [true, false] {
            let c = i as f32 * 1e-2;
            let line: Vec<[f32; 3]> = (-20..=20)
                .map(|j| {
                    let (t, wave) = (j as f32 * 1e-2, if (i + j) % 2 == 0 { 1.5e-3 } else { -1.5e-3 });
                    if along_x { [t, c, wave] } else { [c, t, -wave] }
                })
                .collect();
            vertices.extend(curve(&line, 1.5e-3));
            starts.push(vertices.len() as u32);
        }
    }
    let mut tubes = studio.curves(&vertices, &starts);
    // Covered part of the cloth's own outline, and the change of its pixels by a move of a quarter of a pixel.
    let mut measure = |height: f32, style: &TubeStyle| {
        let camera = studio.above(height);
        let picture = studio.shoot(&mut tubes, &camera, style);
        let outline = (0.403 / f64::from(height) * 128.0).min(128.0).powi(2);
        let mut moved = camera;
        moved.view_proj[3][0] += 0.5 / 128.0;
        let change = picture.difference(&studio.shoot(&mut tubes, &moved, style)) * 128.0 * 128.0 / outline;
        (picture.area() / outline, change)
    };
    let style = TubeStyle::default();
    // The same view gives the same picture, whatever order the device works in.
    assert_eq!(measure(1.6, &style), measure(1.6, &style));
    let near = measure(0.4, &style);
    // A yarn every 10 mm, 3 mm wide, both ways: 1 - 0.7^2 = 0.51.
    assert!((near.0 - 0.51).abs() < 0.03, "{near:?}");
    // Yarns are 1.6, 0.8 and 0.4 pixels apart. (At 1.6 a move shows because the yarns do.)
    for height in [0.8, 1.6, 3.2] {
        let far = measure(height, &style);
        assert!((far.0 - near.0).abs() < 0.08, "{height} m: coverage {far:?}, near {near:?}");
        // The control draws thin yarns as they are: samples hit them or do not.
        let control = measure(height, &TubeStyle { min_radius: 0.0, ..style.clone() });
        assert!(height < 1.0 || far.1 < 6.0, "{height} m: a quarter of a pixel changes {far:?}");
        assert!(height < 1.0 || control.1 > 1.5 * far.1, "{height} m: {far:?}, control {control:?}");
    }
}

/// Plies are seen near by and leave no trace far away.
#[test]
fn plies_fade_with_distance() {
    let studio = Studio::new(256, 4);
    let smooth = TubeStyle { ply: Ply { depth: 0.0, fibers: 0.0, ..Default::default() }, ..Default::default() };
    let plied = TubeStyle::default();
    let rough = |height: f32| {
        let mut tubes = studio.curves(&rod(1.2, 0.01, 240), &[0, 241]);
        let camera = studio.above(height);
        let along = |style: &TubeStyle, tubes: &mut TubeState| {
            let picture = studio.shoot(tubes, &camera, style);
            let row: Vec<f64> = (64..192).map(|x| f64::from(picture.at(x, 128)[0])).collect();
            row.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>() / 127.0
        };
        [along(&plied, &mut tubes), along(&smooth, &mut tubes)]
    };
    let near = rough(0.05);
    assert!(near[0] > near[1] + 1.0, "near by: {near:?}");
    let far = rough(2.0);
    assert!(far[0] < 0.5 && far[1] < 0.5, "far away: {far:?}");
}

/// What cannot be drawn is refused with a reason, not drawn wrong.
#[test]
fn bad_input_is_an_error() {
    let studio = Studio::new(64, 1);
    let vertices = rod(0.1, 0.01, 8);
    let of = |starts: &[u32]| {
        TubeState::of_vertices(&studio.device, &studio.queue, &studio.tubes, &vertices, starts, &Default::default())
    };
    for starts in [vec![], vec![0], vec![0, 8], vec![0, 5, 4, 9], vec![1, 9], vec![0, 10]] {
        assert!(of(&starts).is_err(), "{starts:?}");
    }
    let mut tubes = of(&[0, 9]).unwrap();
    let camera = studio.above(0.3);
    let mut refused = |style: TubeStyle, word: &str| {
        let message = tubes.prepare(&studio.queue, &camera, &style).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    };
    let base = TubeStyle::default;
    refused(TubeStyle { colors: vec![], ..base() }, "colors");
    refused(TubeStyle { gloss: f32::NAN, ..base() }, "gloss");
    refused(TubeStyle { light: Light { direction: [0.0; 3], ..Default::default() }, ..base() }, "light direction");
    refused(TubeStyle { shadow: Some(Shadow { radius: 0.0, ..Default::default() }), ..base() }, "shadow");
    let range = HeatMap { range: [1.0, 1.0], ..Default::default() };
    refused(TubeStyle { heat_map: Some(range), ..base() }, "heat map");
    let broken = Camera { view_proj: [[f32::NAN; 4]; 4], ..camera };
    assert!(tubes.prepare(&studio.queue, &broken, &base()).is_err());
    // One sample a pixel works as well, and an empty garment draws nothing.
    assert!(studio.shoot(&mut tubes, &camera, &base()).area() > 0.0);
    let mut none =
        TubeState::of_vertices(&studio.device, &studio.queue, &studio.tubes, &[], &[0], &Default::default()).unwrap();
    assert_eq!(studio.shoot(&mut none, &camera, &base()).area(), 0.0);
}
