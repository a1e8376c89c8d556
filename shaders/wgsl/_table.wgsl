// Interpolation in the displacement table; twin: `locate` and `look_up` of cpu/yarns.rs.

struct AxisPosition {
    cell: u32,
    weight: f32,
}

// Cell and weight on the axis whose `count` cells begin at `first`; beyond its ends the weight stays 0 or 1.
fn locate(first: u32, count: u32, value: f32) -> AxisPosition {
    // The last cell that begins at or below the value, by halving.
    var low = 0u;
    var high = count;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if value >= axes[first + middle].low {
            low = middle;
        } else {
            high = middle;
        }
    }
    let cell = axes[first + low];
    return AxisPosition(low, clamp((value - cell.low) * cell.inverse, 0.0, 1.0));
}

// An entry of the table: four floats, or four numbers of 16 bits each times a scale.
fn entry(index: u32) -> vec4f {
    if packing.packed != 0u {
        let bits = table[index];
        return packing.scale * vec4f(unpack2x16snorm(bits.x), unpack2x16snorm(bits.y));
    }
    return vec4f(bitcast<vec2f>(table[2u * index]), bitcast<vec2f>(table[2u * index + 1u]));
}

// Trilinear interpolation in a sample-major table.
fn look_up(vertex: u32, strains: vec3f) -> vec4f {
    let n = params.cells;
    let x = locate(0u, n.x, strains.x);
    let a = locate(n.x, n.y, strains.y);
    let y = locate(n.x + n.y, n.z, strains.z);
    let stride_a = (n.x + 1u) * params.table_vertices;
    let stride_y = (n.y + 1u) * stride_a;
    var sum = vec4f();
    for (var corner = 0u; corner < 4u; corner++) {
        let up_a = corner & 1u;
        let up_y = corner >> 1u;
        let weight = select(1.0 - a.weight, a.weight, up_a == 1u) * select(1.0 - y.weight, y.weight, up_y == 1u);
        let at = x.cell * params.table_vertices + (a.cell + up_a) * stride_a + (y.cell + up_y) * stride_y + vertex;
        sum += (1.0 - x.weight) * weight * entry(at) + x.weight * weight * entry(at + params.table_vertices);
    }
    return sum;
}
