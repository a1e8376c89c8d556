@group(0) @binding(2) var<storage, read> links: array<NodeLinks>;

fn link(node: u32, port: u32) -> u32 {
    return links[node].ports[port];
}
