// A segment ahead of a node: direction and one over its length; stiffness along, across, coupled with sliding, and of sliding; the rest
// length that has mass at the start of the step, 0 where the mass is at the nodes.
struct SegmentAt {
    direction: vec4f,
    stiffness: vec4f,
    rest: f32,
}
