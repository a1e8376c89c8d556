use super::*;
use proptest::prelude::*;

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";

fn square_with(faces: &str) -> Result<Mesh> {
    parse(format!("{SQUARE}{faces}").as_bytes(), "square.obj")
}

fn message(faces: &str) -> String {
    square_with(faces).unwrap_err().to_string()
}

#[test]
fn every_form_of_corner_is_read() {
    let expected = square_with("f 1/1 2/2 3/3").unwrap();
    for faces in [
        "f 1/1/9 2/2/9 3/3/9",
        "f 1 2 3",
        "f 1//7 2//7 3//7",
        "f -4/-4 -3/-3 -2/-2",
        "f -4/1/-1 2 -2/-2/",
        "  f\t1/1 \\\r\n  2/2 \\\n 3/3  # a comment \\",
        "g cloth\nusemtl \u{e4}\ns off\nf 1/1 2/2 3/3\nl 1 2\nvn 0 0 1\nvp 1",
    ] {
        assert_eq!(square_with(faces).unwrap(), expected, "{faces}");
    }
}

#[test]
fn line_ends_and_marks_do_not_matter() {
    let expected = square_with("f 1/1 2/2 3/3\n").unwrap();
    let text = format!("{SQUARE}f 1/1 2/2 3/3\n");
    for other in [text.replace('\n', "\r\n"), text.replace('\n', "\r"), format!("\u{feff}{text}")] {
        assert_eq!(parse(other.as_bytes(), "x").unwrap(), expected);
    }
    let latin1 = [b"# M\xe4dchen\no \xff\n".as_slice(), text.as_bytes()].concat();
    assert_eq!(parse(&latin1, "x").unwrap(), expected);
}

#[test]
fn extra_numbers_of_vertices_are_skipped() {
    let text = "v 0 0 0 1 0.5 0.5\nv 1 0 0 1\nv 0 1 0 0.1 0.2 0.3\nvt 0 0 0\nvt 1 0 0\nvt 0 1 0\nf 1/1 2/2 3/3";
    assert_eq!(parse(text.as_bytes(), "x").unwrap().positions()[2], [0.0, 1.0, 0.0]);
}

#[test]
fn quads_split_along_the_shorter_uv_diagonal_and_ties_go_to_0_2() {
    assert_eq!(square_with("f 1/1 2/2 3/3 4/4").unwrap().faces(), [[0, 1, 2], [0, 2, 3]]);
    let sheared = |u: f32| {
        let text = format!(
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt {} 1\nvt {u} 1\nf 1/1 2/2 3/3 4/4",
            1.0 + u
        );
        parse(text.as_bytes(), "x").unwrap().faces().to_vec()
    };
    assert_eq!(sheared(0.5), [[0, 1, 3], [1, 2, 3]]);
    assert_eq!(sheared(-0.5), [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn a_quad_that_is_not_convex_keeps_its_triangles_upright() {
    // Corner 2 is pushed in toward 0: the diagonal 1-3 is the shorter one, but lies outside.
    let quad = |uvs: &str| format!("{}{uvs}f 1/5 2/6 3/7 4/8", SQUARE);
    let pushed_in = quad("vt 0 0\nvt 5 4\nvt 4.2 4.2\nvt 4 5\n");
    assert_eq!(parse(pushed_in.as_bytes(), "x").unwrap().faces(), [[0, 1, 2], [0, 2, 3]]);
    let turned = quad("vt 4 5\nvt 0 0\nvt 5 4\nvt 4.2 4.2\n");
    assert_eq!(parse(turned.as_bytes(), "x").unwrap().faces(), [[0, 1, 3], [1, 2, 3]]);
}

#[test]
fn polygons_become_fans_or_an_error_when_a_fan_folds() {
    let pentagon = |inner: f32| {
        format!(
            "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 3 0\nv 0 2 0\nvt 0 0\nvt 2 0\nvt {inner} 1\nvt 2 2\nvt 0 2\nf 1/1 2/2 3/3 4/4 5/5"
        )
    };
    let mesh = parse(pentagon(2.5).as_bytes(), "x").unwrap();
    assert_eq!(mesh.faces(), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    let error = parse(pentagon(-0.5).as_bytes(), "x").unwrap_err().to_string();
    assert!(error.contains("line 11: face 1 has 5 corners and is not convex"), "{error}");
}

#[test]
fn missing_uvs_are_told_with_the_cure() {
    let none = parse(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "bare.obj").unwrap_err().to_string();
    assert!(none.starts_with("bare.obj, line 4: the file has no UVs") && none.contains("unwrap"), "{none}");
    let some = parse(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3", "part.obj").unwrap_err().to_string();
    assert!(some.starts_with("part.obj, line 5: face 1 has a corner without a UV"), "{some}");
    assert!(parse_surface(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", "bare.obj").is_ok());
}

#[test]
fn errors_name_line_and_element() {
    assert_eq!(message("f 1/1 2/2"), "square.obj, line 9: face 1 has 2 corners, at least 3 are needed");
    assert_eq!(message("f 1/1"), "square.obj, line 9: face 1 has 1 corner, at least 3 are needed");
    assert!(message("f 1/1 2/2 0/3").contains("line 9: face 1: vertex 0: OBJ counts from 1"));
    assert!(message("f 1/1 2/2 -5/3").contains("vertex -5 does not exist, the latest one is vertex 4"));
    assert!(
        message("f 1/1 2/2 3/3\nf 1/1 2/2 5/3").contains("line 10: face 2 names vertex 5, the mesh has 4 vertices")
    );
    assert!(message("f 1/1 2/2 3/5").contains("names UV 5, the mesh has 4 UVs"));
    assert!(message("f 1/1 2/x 3/3").contains("'2/x' is not a corner"));
    assert!(message("f 1/1/1/1 2/2 3/3").contains("is not a corner"));
    assert!(message("f 99999999999/1 2/2 3/3").contains("is not a corner"));
    assert!(message("v 1 2").contains("line 9: vertex 5 has 2 numbers, 3 are needed"));
    assert!(message("v 1").contains("vertex 5 has 1 number, 3 are needed"));
    assert!(message("vt 1").contains("UV 5 has 1 number, 2 are needed"));
    assert!(message("v 1 nan 3").contains("vertex 5: nan is not a finite number"));
    assert!(message("v 1 1e39 3").contains("not a finite number"));
    assert!(message("v 1 0,5 3").contains("'0,5' is not a number"));
    assert!(message("vt 1e7 0").contains("coordinates are in meters"));
    assert!(message("").contains("has no faces"));
    assert!(parse(&[0xff; 100], "x").unwrap_err().to_string().contains("is this an OBJ file"));
    assert!(message(&format!("v {}", "9".repeat(100_000))).len() < 200, "messages stay short");
    assert!(message(&format!("f {}", "1/1 ".repeat(2000))).contains("more than 1024 corners"));
}

/// A quad becomes two triangles, and still is one face in messages.
#[test]
fn faces_are_counted_as_in_the_file() {
    let faces = "f 1/1 2/2 3/3 4/4\nf 1/1 2/2 3/3\n";
    assert!(
        message(&format!("{faces}f 1/1 2/2 9/3")).contains("line 11: face 3 names vertex 9, the mesh has 4 vertices")
    );
    let mesh = square_with(faces).unwrap().weld_uvs().scaled(2.0).unwrap().with_scaled_uvs([0.5, 0.5]).unwrap();
    assert_eq!([0, 1, 2].map(|face| mesh.face_number(face)), [1, 1, 2]);
    let surface = parse_surface(format!("{SQUARE}{faces}f 1 2 9").as_bytes(), "x").unwrap_err().to_string();
    assert!(surface.contains("line 11: face 3 names vertex 9"), "{surface}");
}

#[test]
fn a_continued_line_carries_the_number_it_begins_at() {
    assert!(message("f 1/1 \\\n 2/2 \\\n x\n").contains("line 9: "));
    assert!(message("# comment \\\nf 1/1 2/2 x\n").contains("line 10: "), "a comment does not go on");
}

#[test]
fn a_face_may_stand_before_its_vertices() {
    let text = format!("f 1/1 2/2 3/3 4/4\n{SQUARE}");
    assert_eq!(parse(text.as_bytes(), "x").unwrap().faces().len(), 2);
}

fn any_mesh() -> impl Strategy<Value = Mesh> {
    let coordinate = || prop_oneof![-1e6f32..1e6, -1.0f32..1.0, Just(-0.0), Just(1e-38), Just(1e-45)];
    let points = prop::collection::vec([coordinate(), coordinate(), coordinate()], 1..20);
    let uvs = prop::collection::vec([coordinate(), coordinate()], 1..20);
    (points, uvs, 1usize..20).prop_flat_map(|(positions, uvs, n)| {
        let indices = |n: usize, m: usize| prop::collection::vec([0..m as u32, 0..m as u32, 0..m as u32], n);
        let topology = (indices(n, positions.len()), indices(n, uvs.len()));
        (Just(positions), Just(uvs), topology).prop_map(|(positions, uvs, (faces, uv_faces))| {
            Mesh::new(MeshData { positions, uvs, faces, uv_faces }).unwrap()
        })
    })
}

proptest! {
    #[test]
    fn a_written_mesh_reads_back_exactly(mesh in any_mesh()) {
        let again = parse(to_text(&mesh).as_bytes(), "again").unwrap();
        prop_assert_eq!(&again, &mesh);
        // Equality does not see the sign of zero.
        prop_assert_eq!(to_text(&again), to_text(&mesh));
    }

    #[test]
    fn any_statements_give_a_mesh_or_an_error(lines in prop::collection::vec("(v|vt|f|#|o)( (-?[0-9]{1,2}(/[0-9]?){0,3}|[a-z.]+|\\\\))*\r?", 0..12)) {
        let text = format!("{SQUARE}{}", lines.join("\n"));
        let _ = parse(text.as_bytes(), "x");
        let _ = parse_surface(text.as_bytes(), "x");
    }
}

#[test]
fn polylines_become_line_statements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("yarns.obj");
    let (a, b) = ([[0.0, 0.0, 0.5], [1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]);
    write_polylines("two", [a.as_slice(), b.as_slice()], &path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("v 0 0 0.5\nv 1 0 0\nl 1 2\n") && text.ends_with("l 3 4 5\n"), "{text}");
}
