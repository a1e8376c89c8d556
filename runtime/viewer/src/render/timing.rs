//! How long the stages of a picture take.

use crate::gpu::Gpu;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use yarnwise_runtime::wgpu;

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    /// The stage.
    pub stage: &'static str,
    /// Milliseconds.
    pub milliseconds: f64,
}

/// The stages of a picture, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Timings(pub Vec<Timing>);

impl Timings {
    /// Adds a stage.
    pub(crate) fn push(&mut self, stage: &'static str, duration: Duration) {
        self.0.push(Timing { stage, milliseconds: duration.as_secs_f64() * 1e3 });
    }
}

/// Stages between two marks.
const STAGES: [&str; 3] = ["yarns (GPU)", "cull (GPU)", "draw (GPU)"];
const MARKS: u32 = STAGES.len() as u32 + 1;

/// Marks in the stream of commands.
#[derive(Debug)]
pub(super) struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    /// Nanoseconds of one tick.
    period: f64,
    state: State,
    ready: Arc<AtomicBool>,
    last: Option<[f64; STAGES.len()]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next picture may be timed.
    Idle,
    /// Marks are recorded, and to be mapped once they are submitted.
    Recorded,
    /// Waiting for the device.
    Mapping,
}

impl Queries {
    pub(super) fn new(gpu: &Gpu) -> Self {
        let (label, size) = (Some("timings"), u64::from(MARKS) * 8);
        let buffer =
            |usage| gpu.device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false });
        Queries {
            set: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label,
                ty: wgpu::QueryType::Timestamp,
                count: MARKS,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period: f64::from(gpu.queue.get_timestamp_period()),
            state: State::Idle,
            ready: Arc::new(AtomicBool::new(false)),
            last: None,
        }
    }

    pub(super) fn mark(&self, encoder: &mut wgpu::CommandEncoder, index: u32) {
        encoder.write_timestamp(&self.set, index);
    }

    pub(super) fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        if self.state == State::Idle {
            encoder.resolve_query_set(&self.set, 0..MARKS, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, self.readable.size());
            self.state = State::Recorded;
        }
    }

    /// Adds the last known timings, without waiting for new ones.
    pub(super) fn collect(&mut self, gpu: &Gpu, timings: &mut Timings) {
        // A lost device is detected elsewhere.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        match self.state {
            State::Recorded => {
                let ready = self.ready.clone();
                self.readable.map_async(wgpu::MapMode::Read, .., move |r| ready.store(r.is_ok(), Ordering::Release));
                self.state = State::Mapping;
            }
            State::Mapping if self.ready.swap(false, Ordering::Acquire) => {
                if let Ok(bytes) = self.readable.get_mapped_range(..) {
                    let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
                    self.last =
                        Some(std::array::from_fn(|i| ticks[i + 1].saturating_sub(ticks[i]) as f64 * self.period));
                }
                self.readable.unmap();
                self.state = State::Idle;
            }
            _ => {}
        }
        if let Some(last) = self.last {
            for (stage, nanoseconds) in STAGES.into_iter().zip(last) {
                timings.0.push(Timing { stage, milliseconds: nanoseconds * 1e-6 });
            }
        }
    }
}
