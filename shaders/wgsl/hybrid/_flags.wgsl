const HEAVY: u32 = 128u;
const WEIGHTED: u32 = 4096u;
