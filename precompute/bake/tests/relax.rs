//! `yarnwise-bake relax`, run as its user runs it: bounds, traces.

use yarnwise_tests::program::Program;

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

#[test]
fn the_trace_of_a_search_is_drawn() {
    let bake = Program::new(PROGRAM);
    bake.success("pattern make weave --preset plain -o plain.yarn");
    bake.success("relax plain.yarn --material woven -o rest.yarn --trace trace.tsv");
    let report = bake.success("db inspect trace.tsv --plots plots");
    assert!(report.contains("trace of the solve of plain") && report.contains("factorizations"), "{report}");
    let svg = bake.folder.text("plots/trace.svg");
    assert!(svg.contains("unbalanced force") && svg.contains("in touch"));
    assert!(bake.failure("db inspect trace.tsv --plots plots --picture 0,0,0").contains("needs a database"));
    let text = bake.folder.text("trace.tsv");
    bake.folder.write("cut.tsv", &text[..text.rfind('\t').unwrap()]);
    assert!(bake.failure("db inspect cut.tsv").contains("cut.tsv, line"));
    assert!(bake.failure("relax plain.yarn -o a.yarn --trace a.yarn").contains("a.yarn"));
}

#[test]
fn a_search_that_is_cut_short_keeps_what_it_found_and_says_what_to_try() {
    let bake = Program::new(PROGRAM);
    bake.success("pattern make knit --chart KKPPP -o rib.yarn");
    let report = bake.success("relax rib.yarn -o some.yarn --max-steps 20 --json");
    assert!(report.contains("\"ended\": \"out_of_steps\"") && report.contains("\"steps\": 20"), "{report}");
    let report = bake.success("relax some.yarn -o rest.yarn --json");
    assert!(report.contains("\"ended\": \"at_rest\""), "{report}");
    assert!(bake.failure("relax rib.yarn -o x.yarn --max-steps 0").contains("at least 1"));
}
