//! What goes wrong on a device comes back as an error: never a panic, never a NaN.

use yarnwise_device::DeviceError;
use yarnwise_runtime::gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState, chunks, part_capacity};
use yarnwise_runtime::{Bending, CpuYarns, Error, FrameOptions, FrameParams, LayoutOptions, YarnLayout, wgpu};
use yarnwise_shaders::gpu::Patch;
use yarnwise_shaders::{BindingKind, stages};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::table::database::Database;
use yarnwise_tests::parity::Twins;
use yarnwise_tests::{garment, gpu};

fn garment() -> (Mesh, Database, YarnLayout) {
    let (mesh, database) = (garment::sheet(10, 10, 0.008), garment::database(8));
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    (mesh, database, layout)
}

fn state(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    (options, parts): (&PipelineOptions, &StateOptions),
) -> Result<YarnState, Error> {
    let (_, database, layout) = garment();
    let pipelines = YarnPipelines::new(device, options)?;
    YarnState::new(device, queue, &pipelines, &layout, &database, parts)
}

#[test]
fn a_destroyed_device_is_an_error_everywhere() {
    let (mesh, database, layout) = garment();
    let mut twins = Twins::new(layout, &database, &StateOptions::default());
    let frame = FrameParams { positions: mesh.positions(), ..Default::default() };
    twins.gpu.prepare(&twins.queue, &frame).unwrap();
    let usage = wgpu::BufferUsages::STORAGE;
    let descriptor = wgpu::BufferDescriptor { label: None, size: 1 << 16, usage, mapped_at_creation: false };
    let own = twins.device.create_buffer(&descriptor);
    twins.device.destroy();

    assert!(matches!(twins.gpu.prepare(&twins.queue, &frame), Err(Error::Device(DeviceError::Lost))));
    assert!(matches!(twins.gpu.prepare_with_buffer(&twins.queue, &own, &frame), Err(Error::Device(DeviceError::Lost))));
    let mut encoder = twins.device.create_command_encoder(&Default::default());
    twins.pipelines.encode(&mut encoder, &twins.gpu).unwrap();
    let made = state(&twins.device, &twins.queue, (&PipelineOptions::default(), &StateOptions::default()));
    assert!(matches!(made, Err(Error::Device(DeviceError::Lost))), "{:?}", made.err());

    // A new device takes over.
    let mut again = Twins::new(garment().2, &database, &StateOptions::default());
    assert_eq!(again.run_gpu(&frame, 0).yarns.len(), again.cpu.layout().vertex_count());
}

#[test]
fn limits_of_the_device_are_errors_that_name_the_buffer() {
    let low = wgpu::Limits { max_storage_buffer_binding_size: 40_000, ..Default::default() };
    let (device, queue) = gpu::device_with(low);
    let error = state(&device, &queue, (&PipelineOptions::default(), &StateOptions::default())).err().unwrap();
    // Ten by ten squares of two triangles.
    let patches = 200 * size_of::<Patch>() as u64;
    assert!(
        matches!(error, Error::Device(DeviceError::Limit { what: "patches of faces", needed, limit: 40_000, .. }) if needed == patches),
        "{error}"
    );
    assert!(error.to_string().contains("request a device with higher limits"), "{error}");

    let (device, queue) = gpu::device();
    let one = PipelineOptions { max_workgroups: Some(1) };
    let error = state(&device, &queue, (&one, &StateOptions::default())).err().unwrap();
    assert!(matches!(error, Error::Device(DeviceError::Limit { what: "yarns", limit: 126, .. })), "{error}");
    let narrow = StateOptions { max_part_vertices: Some(4), ..Default::default() };
    let error = state(&device, &queue, (&PipelineOptions::default(), &narrow)).err().unwrap();
    assert!(matches!(error, Error::Device(DeviceError::Limit { what: "yarn vertices", .. })), "{error}");
}

/// Without making the buffers: 40 million yarn vertices fit into parts that the default limits allow.
#[test]
fn forty_million_vertices_fit_the_default_limits() {
    let limits = wgpu::Limits::default();
    let parts = chunks(40_000_000, part_capacity(&limits)).unwrap();
    assert_eq!(parts.len(), 8);
    for part in &parts {
        let bytes = u64::from(part.len()) * YarnState::VERTEX_STRIDE;
        assert!(bytes <= limits.max_storage_buffer_binding_size && bytes <= limits.max_buffer_size);
        let groups = part.len().div_ceil(stages::yarns::STAGE.entry_points[0].workgroup_size[0] - 2);
        assert!(groups <= limits.max_compute_workgroups_per_dimension);
    }
    for stage in stages::ALL {
        let buffers = stage.bindings.iter().filter(|b| b.kind != BindingKind::Uniform).count();
        assert!(buffers <= limits.max_storage_buffers_per_shader_stage as usize, "{} has {buffers}", stage.name);
    }
}

#[test]
fn bad_frames_are_errors() {
    let (mesh, database, layout) = garment();
    let mut twins = Twins::new(layout, &database, &StateOptions::default());
    let mut encoder = twins.device.create_command_encoder(&Default::default());
    assert!(matches!(twins.pipelines.encode(&mut encoder, &twins.gpu), Err(Error::NotPrepared)));

    let frame = FrameParams { positions: mesh.positions(), ..Default::default() };
    let mut infinite = mesh.positions().to_vec();
    infinite[7][1] = f32::INFINITY;
    let short = FrameParams { positions: &mesh.positions()[1..], ..frame };
    for bad in [short, FrameParams { positions: &infinite, ..frame }] {
        assert!(matches!(twins.gpu.prepare(&twins.queue, &bad), Err(Error::Positions(_))));
    }
    let phong = FrameParams { options: FrameOptions { phong: f32::NAN, ..frame.options }, ..frame };
    assert!(matches!(twins.gpu.prepare(&twins.queue, &phong), Err(Error::Parameter { name: "phong", .. })));
    let tables = FrameParams { options: FrameOptions { bending: Bending::Tables, ..frame.options }, ..frame };
    assert!(matches!(twins.gpu.prepare(&twins.queue, &tables), Err(Error::Database(_))));

    let buffer = |size, usage| {
        let label = None;
        twins.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
    };
    let small = buffer(64, wgpu::BufferUsages::STORAGE);
    let unusable = buffer(1 << 16, wgpu::BufferUsages::VERTEX);
    for bad in [small, unusable] {
        assert!(matches!(twins.gpu.prepare_with_buffer(&twins.queue, &bad, &frame), Err(Error::Positions(_))));
    }
    let other = YarnLayout::new(&garment::sheet(2, 2, 0.01), database.pattern(), &LayoutOptions::default()).unwrap();
    let mut other = CpuYarns::new(other, &database).unwrap();
    let foreign = twins.gpu.prepare_from_cpu(&twins.queue, &mut other, &frame, 1);
    assert!(matches!(foreign, Err(Error::Positions(_) | Error::Layout(_))), "{foreign:?}");
    // After all that the state still works.
    assert_eq!(twins.run_gpu(&frame, 0).yarns.len(), twins.cpu.layout().vertex_count());
}

/// A host's own buffer gives the same frame to the last bit; what is not a number in it does no harm.
#[test]
fn positions_in_a_host_buffer_need_no_upload_and_no_trust() {
    let (mesh, database, layout) = garment();
    let mut twins = Twins::new(layout, &database, &StateOptions::default());
    let mut positions = garment::moved(&mesh, 0.2);
    let frame = FrameParams { positions: &positions, ..Default::default() };
    let uploaded = twins.run_gpu(&frame, 0);
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let size = (positions.len() * 12 + 100) as u64 / 4 * 4;
    let own =
        twins.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let nothing = FrameParams::default();
    let mut run = |positions: &[[f32; 3]]| {
        twins.spoil();
        twins.queue.write_buffer(&own, 0, bytemuck::cast_slice(positions));
        twins.gpu.prepare_with_buffer(&twins.queue, &own, &nothing).unwrap();
        twins.submit()
    };
    assert_eq!(run(&positions), uploaded);
    (positions[3], positions[17][1], positions[40][2]) = ([f32::NAN; 3], f32::INFINITY, -3e38);
    let harmed = run(&positions);
    assert!(harmed.yarns.iter().all(|v| v.position.iter().chain([&v.twist, &v.radius]).all(|c| c.is_finite())));
    assert_ne!(harmed, uploaded);
}
