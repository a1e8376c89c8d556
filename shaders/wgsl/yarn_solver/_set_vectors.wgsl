fn set_vector(i: u32, first: u32, v: Value) {
    let k = VECTOR_WORDS * i + first;
    vectors[k] = v.x.x;
    vectors[k + 1u] = v.x.y;
    vectors[k + 2u] = v.x.z;
    vectors[k + 3u] = v.s.x;
    vectors[k + 4u] = v.s.y;
}
