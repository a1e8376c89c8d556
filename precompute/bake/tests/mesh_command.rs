//! `yarnwise-bake mesh`: what it prints, writes and refuses.

use yarnwise_tests::program::Program;

fn mesh() -> Program {
    Program::new(env!("CARGO_BIN_EXE_yarnwise-bake")).with("mesh")
}

/// Every shape and every format: made, checked, converted, and the same positions at the end.
#[test]
fn made_clips_check_and_convert() {
    let mesh = mesh();
    let made =
        mesh.success("make sheet --size 0.2,0.1 --cells 8x4 --motion stretch-x --amount 0.5 --frames 5 -o a.bin");
    assert_eq!(made, "a.bin: 5 frames, 45 vertices, 64 faces\n");
    let checked = mesh.success("check a.bin --fps 25");
    for part in ["5, one every 40.00 ms", "0.200 x 0.100 x 0.000 m", "1 in the UV plane", "nothing is wrong"] {
        assert!(checked.contains(part), "{part}: {checked}");
    }
    let strain = checked.lines().find(|l| l.trim().starts_with("sx")).unwrap();
    assert!(strain.contains(" 0.500 "), "{strain}");

    mesh.success("convert a.bin -o a.pc2");
    assert!(mesh.folder.has("a.obj"), "a point cache comes with its mesh");
    mesh.success("convert a.pc2 -o frames");
    mesh.success("convert frames -o b.bin");
    assert_eq!(mesh.folder.bytes("a.bin"), mesh.folder.bytes("b.bin"));
    mesh.success("convert a.bin --frame 2 --scale 2 -o still.obj");
    assert!(mesh.success("check still.obj").contains("0.600 x 0.200 x 0.000 m"));

    for shape in ["tube", "skirt"] {
        mesh.success(&format!("make {shape} --motion twist --frames 3 -o {shape}.pc2"));
        assert!(mesh.success(&format!("check {shape}.pc2")).contains("seams that are closed"));
    }
}

#[test]
fn findings_are_reported_with_their_cure_and_errors_fail() {
    let mesh = mesh();
    let square = "v 0 0 0\nv 0.5 0 0\nv 0.5 0.5 0\nv 0 0.5 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    mesh.folder.write("texture.obj", format!("{square}f 1/1 2/2 3/3 4/4\n"));
    let checked = mesh.success("check texture.obj");
    assert!(checked.contains("warning: UVs are probably not in meters"), "{checked}");
    assert!(checked.contains("cure: multiply the UVs by 0.5000 (--uv-scale 0.5000)"), "{checked}");
    assert!(mesh.success("check texture.obj --uv-scale 0.5").contains("nothing is wrong"), "the cure works");
    assert!(mesh.success("check texture.obj --uv-scale 0.5,1").contains("multiply u by 1.0000 and v by 0.5000"));

    mesh.folder.write("line.obj", format!("{square}f 1/1 2/2 3/3\nvt 0 0\nf 1/1 3/3 4/5\n"));
    let output = mesh.run("check line.obj");
    assert!(output.stdout.contains("error: 1 face has no area in the UV plane") && output.stdout.contains("(face 2)"));
    // The face that is left is half as long as its UVs say: a warning, and one for each axis that no table covers.
    assert_eq!(output.failed(), "error: line.obj: 1 error, 3 warnings\n");
    // A quad is one face, as in the file.
    mesh.folder.write("quad.obj", format!("{square}f 1/1 2/2 3/3 4/4\nvt 0 0\nf 1/1 3/3 4/5\n"));
    let output = mesh.run("check quad.obj");
    assert!(output.stdout.contains("(face 2)"), "{}", output.stdout);
}

#[test]
fn wrong_input_is_one_clear_message() {
    let mesh = mesh();
    assert!(mesh.failure("check none.obj").contains("none.obj: "));
    mesh.folder.write("bad.obj", "v 0 0 x\n");
    assert_eq!(mesh.failure("check bad.obj"), "error: bad.obj, line 1: vertex 1: 'x' is not a number\n");
    mesh.folder.write("bad.bin", [0xff; 50]);
    assert!(mesh.failure("check bad.bin").contains("bad.bin, byte 4"));
    mesh.success("make sheet --motion wave --frames 3 -o a.pc2");
    std::fs::rename(mesh.folder.path("a.obj"), mesh.folder.path("other.obj")).unwrap();
    assert!(mesh.failure("check a.pc2").contains("there is no a.obj"));
    mesh.success("check a.pc2 --obj other.obj");
    assert!(mesh.failure("convert a.pc2 --obj other.obj -o b.obj").contains("3 frames do not fit one OBJ file"));
    assert!(mesh.failure("convert a.pc2 --obj other.obj --frame 3 -o b.obj").contains("there are 3 frames"));
    assert!(mesh.failure("make sheet --cells 0,1 -o c.obj").contains("cells"));
    assert!(mesh.failure("make sheet --cells 1,2,3 -o c.obj").contains("two with a comma"));
    assert!(mesh.failure("check other.obj --scale -1").contains("scale"));
    assert!(mesh.failure("make sheet --fps 0 -o c.obj").contains("--fps 0"));
}
