// Stage `compression`: F_n of crossings, from crimped points [Cirio14, Eq. 9]. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_bent

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> normals: array<f32>;
@group(0) @binding(6) var<storage, read_write> compression: array<f32>;

// From the warp to the weft; zero where nothing crosses.
fn toward_weft(i: u32) -> vec3f {
    let flags = links[i].flags;
    if (flags & CROSSING) == 0u {
        return vec3f();
    }
    let normal = vec3f(normals[3u * i], normals[3u * i + 1u], normals[3u * i + 2u]);
    return normal * select(1.0, -1.0, (flags & WARP_OVER) != 0u);
}

// The center line of the yarn in a slot of node n, from the x of node i.
fn crimped(i: u32, n: u32, slot: u32) -> vec3f {
    return difference(positions[i], positions[n]) + toward_weft(n) * select(params.radius, -params.radius, slot == 0u);
}

struct Side {
    count: u32,
    near: vec3f,
    far: vec3f,
    near_rest: f32,
    far_rest: f32,
    tension: f32,
}

fn tension_of(here: u32, slot: u32, near: u32) -> f32 {
    let other = node_of(near);
    let rest = abs(arc_difference(arcs[here], slot, arcs[other], slot_of(near)));
    let d = difference(positions[here], positions[other]);
    return max(params.stretch * (sqrt(dot(d, d)) - rest) / rest, 0.0);
}

// The next link along a yarn that leads to no plain node.
fn past_plain(near: u32, way: u32) -> u32 {
    var at = near;
    while (links[node_of(at)].flags & PLAIN) != 0u {
        let further = link(node_of(at), 2u * slot_of(at) + way);
        if further == NONE {
            break;
        }
        at = further;
    }
    return at;
}

fn side_of(i: u32, slot: u32, way: u32) -> Side {
    var side = Side(0u, vec3f(), vec3f(), 0.0, 0.0, 0.0);
    let near = link(i, 2u * slot + way);
    if near == NONE {
        return side;
    }
    side.tension = tension_of(i, slot, near);
    let next = past_plain(near, way);
    side.near = crimped(i, node_of(next), slot_of(next));
    side.near_rest = abs(arc_difference(arcs[i], slot, arcs[node_of(next)], slot_of(next)));
    side.count = 1u;
    let second = link(node_of(next), 2u * slot_of(next) + way);
    if second == NONE {
        return side;
    }
    let last = past_plain(second, way);
    side.far = crimped(i, node_of(last), slot_of(last));
    side.far_rest = abs(arc_difference(arcs[node_of(next)], slot_of(next), arcs[node_of(last)], slot_of(last)));
    side.count = 2u;
    return side;
}

fn yarn_force(i: u32, slot: u32) -> vec3f {
    let behind = side_of(i, slot, 0u);
    let ahead = side_of(i, slot, 1u);
    let here = crimped(i, i, slot);
    var force = vec3f();
    if behind.count == 2u {
        force += bent(behind.far, behind.near, here, behind.far_rest, behind.near_rest, -1.0, 0.0);
    }
    if behind.count > 0u && ahead.count > 0u {
        force += bent(behind.near, here, ahead.near, behind.near_rest, ahead.near_rest, 1.0, 1.0);
    }
    if ahead.count == 2u {
        force += bent(here, ahead.near, ahead.far, ahead.near_rest, ahead.far_rest, 0.0, -1.0);
    }
    let d0 = behind.near - here;
    let l0 = sqrt(dot(d0, d0));
    if behind.count > 0u && l0 > 0.0 {
        force += d0 * (behind.tension / l0);
    }
    let d1 = ahead.near - here;
    let l1 = sqrt(dot(d1, d1));
    if ahead.count > 0u && l1 > 0.0 {
        force += d1 * (ahead.tension / l1);
    }
    return force;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.nodes {
        return;
    }
    var force = 0.0;
    if (links[i].flags & CROSSING) != 0u {
        force = max(0.5 * dot(toward_weft(i), yarn_force(i, 0u) - yarn_force(i, 1u)), 0.0);
    }
    compression[i] = force;
}
