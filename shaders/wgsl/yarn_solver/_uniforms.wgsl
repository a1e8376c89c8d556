@group(0) @binding(0) var<uniform> params: YarnSolverParams;
@group(0) @binding(1) var<uniform> scalars: YarnSolverScalars;
