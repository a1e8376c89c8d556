use super::{PatternFault, PatternPlace};
use crate::pattern::test_patterns::straight;
use crate::pattern::{Pattern, PatternData};

/// The fault after `change` to a pattern that is valid without it.
fn fault(change: impl FnOnce(&mut PatternData)) -> PatternFault {
    let mut data = straight();
    assert!(Pattern::new(data.clone()).is_ok());
    change(&mut data);
    Pattern::new(data).unwrap_err()
}

#[test]
fn each_fault_names_its_element() {
    type Case = (fn(&mut PatternData), PatternPlace, &'static str);
    let cases: [Case; 24] = [
        (|d| d.vertices.clear(), PatternPlace::Header, "0 vertices"),
        (|d| d.period[0] = 0.0, PatternPlace::Header, "period px is 0"),
        (|d| d.period[1] = f64::NAN, PatternPlace::Header, "period py is NaN"),
        (|d| d.period[1] = 2e3, PatternPlace::Header, "period py is 2000"),
        (|d| d.radius = -1e-3, PatternPlace::Header, "radius is -0.001"),
        (|d| d.radius = f64::INFINITY, PatternPlace::Header, "radius is inf"),
        (|d| d.vertices[2].position[1] = f64::NAN, PatternPlace::Vertex(2), "position of vertex 2 is NaN"),
        (|d| d.vertices[2].position[0] = 5e3, PatternPlace::Vertex(2), "vertex 2 has a coordinate of 5000 m"),
        (|d| d.vertices[1].twist = f64::NAN, PatternPlace::Vertex(1), "twist of vertex 1 is NaN"),
        (|d| d.vertices[3].edge.to = 4, PatternPlace::Edge(3), "vertex 4, but vertices are numbered 0 to 3"),
        (|d| d.vertices[3].edge.to = u32::MAX, PatternPlace::Edge(3), "numbered 0 to 3"),
        (
            |d| d.vertices[3].edge.to = 1,
            PatternPlace::Edge(3),
            "vertex 1 has two incoming edges, from vertices 0 and 3",
        ),
        (|d| d.vertices[1].edge.shift[0] = i32::MIN, PatternPlace::Edge(1), "shifted by"),
        (|d| d.vertices[1].edge.shift[0] = 1001, PatternPlace::Edge(1), "more than 1000"),
        (|d| d.vertices[1].position[0] = 0.0, PatternPlace::Edge(0), "lie on one another"),
        (|d| d.vertices[1].edge.shift = [2, 0], PatternPlace::Edge(1), "the shift (1, 0) would fit"),
        (|d| d.vertices[0].rest_length = 0.0, PatternPlace::RestLength(0), "rest length of vertex 0 is 0"),
        (|d| d.vertices[0].rest_length = f64::NAN, PatternPlace::RestLength(0), "rest length of vertex 0 is NaN"),
        (|d| d.vertices[0].rest_length = -1.0, PatternPlace::RestLength(0), "rest length of vertex 0 is -1"),
        (|d| d.vertices[2].rest_curvature[1] = f64::INFINITY, PatternPlace::RestCurvature(2), "curvature of vertex 2"),
        (|d| d.vertices[2].rest_twist = f64::NAN, PatternPlace::RestTwist(2), "rest twist of vertex 2"),
        (|d| d.vertices[2].reference_twist = f64::NAN, PatternPlace::ReferenceTwist(2), "reference twist of vertex 2"),
        (
            |d| d.vertices[2].reference_director[0] = f64::NAN,
            PatternPlace::ReferenceDirector(2),
            "director of vertex 2 is NaN",
        ),
        (|d| d.vertices[2].reference_director = [0.0; 3], PatternPlace::ReferenceDirector(2), "must be a unit vector"),
    ];
    for (number, (change, place, words)) in cases.into_iter().enumerate() {
        let fault = fault(change);
        assert_eq!(fault.place, place, "case {number}: {fault}");
        assert!(fault.problem.contains(words), "case {number}: {fault}");
    }
}

#[test]
fn an_edge_longer_than_its_rest_length_is_no_wrong_shift() {
    // Stretched to three times its rest length, but no other copy of its end is nearer to that.
    let mut data = straight();
    data.vertices[0].rest_length = 0.005 / 3.0;
    assert!(Pattern::new(data).is_ok());
}

#[test]
fn yarns_are_traced_with_their_shift() {
    let pattern = Pattern::new(straight()).unwrap();
    let yarns: Vec<_> = pattern.yarns().iter().map(|y| (y.vertices.clone(), y.shift)).collect();
    assert_eq!(yarns, [(vec![0, 1], [1, 0]), (vec![2, 3], [1, 0])]);
    assert_eq!(pattern.incoming(), [1, 0, 3, 2]);
}
