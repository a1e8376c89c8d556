// x, d, w of the solve: 15 words a node. Between `elements` and `start`, stresses lie in the place of d and w.

const VECTOR_WORDS: u32 = 15u;

fn vector_at(i: u32, first: u32) -> Value {
    let k = VECTOR_WORDS * i + first;
    return Value(vec3f(vectors[k], vectors[k + 1u], vectors[k + 2u]), vec2f(vectors[k + 3u], vectors[k + 4u]));
}
