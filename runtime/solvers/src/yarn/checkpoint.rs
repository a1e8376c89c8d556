//! Simulations that are put aside and resumed: the same bits as if they had not been interrupted.
//!
//! A checkpoint has the state, the yarns with their links as they are now, contacts and the control of steps; what the scene says
//! (material, pins, bodies) it leaves to the scene, whose checksum it holds.

use super::model::{Family, Link, NodeKind, Slot, Weave, Yarn};
use super::simulation::{StepControl, YarnSimulation};
use super::state::State;
use crate::contact::{Contact, Contacts, Grip, Mode};
use crate::pace::Pace;
use crate::{Error, Result};
use nalgebra::Vector3;
use serde::Serialize;
use std::path::Path;
use yarnwise_shared::file;

const MAGIC: &[u8; 8] = b"YWCHECK2";
/// Largest checkpoint, bytes.
const MAX_BYTES: u64 = 64 << 30;

/// A checksum of what a scene says.
pub fn checksum(scene: &impl Serialize) -> Result<u32> {
    let text = serde_json::to_vec(scene).map_err(|e| Error::invalid("scene", e.to_string()))?;
    Ok(hash(&text))
}

/// FNV-1a of 32 bits.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h, b| (h ^ u32::from(*b)).wrapping_mul(0x0100_0193))
}

/// Writes a checkpoint; `scene` is the checksum of its scene.
pub fn write(path: &Path, simulation: &YarnSimulation, scene: u32) -> Result<()> {
    let bytes = to_bytes(simulation, scene);
    Ok(file::write_atomically(path, |w| w.write_all(&bytes))?)
}

/// Puts a simulation that was built from the scene with the checksum `scene` where it was when the checkpoint was written.
pub fn read(path: &Path, simulation: &mut YarnSimulation, scene: u32) -> Result<()> {
    let bytes = file::read(path, MAX_BYTES, |_, _| Ok(()))?;
    restore(&bytes, simulation, scene, &file::origin(path))
}

fn to_bytes(simulation: &YarnSimulation, scene: u32) -> Vec<u8> {
    let (weave, state) = (simulation.weave(), simulation.state());
    let (contacts, control) = simulation.step_memory();
    let mut out = Writer(MAGIC.to_vec());
    out.words(&[scene, weave.node_count() as u32, weave.yarns.len() as u32, u32::from(!contacts.is_empty())]);
    out.numbers(&[state.time, control.pace.step, control.pace.calm as f64, control.last_step]);
    for yarn in &weave.yarns {
        out.words(&[yarn.first, yarn.slot as u32, family_number(yarn.family)]);
    }
    for i in 0..weave.node_count() {
        out.node(weave, state, i);
        if let Some(contacts) = contacts.get(i) {
            contacts.iter().for_each(|c| out.contact(c.as_ref()));
        }
    }
    let sum = hash(&out.0);
    out.word(sum);
    out.0
}

fn restore(bytes: &[u8], simulation: &mut YarnSimulation, scene: u32, origin: &str) -> Result<()> {
    let wrong = |problem: &str| Error::invalid(origin, problem);
    let damaged = || wrong("is no checkpoint, or damaged: simulate from the start");
    let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
    if !content.starts_with(MAGIC) || hash(content) != u32::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let mut input = Reader(&content[MAGIC.len()..]);
    let [found, nodes, yarns, has_contacts] = input.words().ok_or_else(damaged)?;
    if found != scene {
        return Err(wrong("belongs to another scene: simulate from the start, or with the scene it was written for"));
    }
    // At least this many bytes a node: a wrong count reserves nothing.
    if nodes as usize > content.len() / 100 || yarns as usize > content.len() / 12 {
        return Err(damaged());
    }
    let material = simulation.weave().material;
    let restored = input.simulation(nodes as usize, yarns as usize, has_contacts == 1, material).ok_or_else(damaged)?;
    let fine = restored.contacts.iter().flatten().flatten().all(|c| (c.body as usize) < simulation.bodies.len());
    if !input.0.is_empty() || !fine || !restored.state.is_sound() || !is_linked(&restored.weave) {
        return Err(damaged());
    }
    let Restored { weave, state, contacts, control } = restored;
    simulation.resume(weave, state, contacts, control);
    Ok(())
}

struct Restored {
    weave: Weave,
    state: State,
    contacts: Vec<Contacts>,
    control: StepControl,
}

/// Whether links lead to nodes that lead back, and yarns begin at a node.
fn is_linked(weave: &Weave) -> bool {
    let n = weave.node_count();
    let begins = weave.yarns.iter().all(|y| (y.first as usize) < n);
    let leads_back = |(i, links): (usize, &[Link; 4])| {
        links.iter().enumerate().all(|(port, link)| match link.get() {
            None => true,
            Some((next, back)) => next < n && weave.links[next][back.index()] == Link::to(i, port),
        })
    };
    begins && weave.links.iter().enumerate().all(leads_back)
}

struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, n: u32) {
        self.0.extend(n.to_le_bytes());
    }

    fn number(&mut self, n: f64) {
        self.0.extend(n.to_le_bytes());
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|n| self.word(*n));
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|n| self.number(*n));
    }

    fn node(&mut self, weave: &Weave, state: &State, i: usize) {
        self.word(kind_number(weave.kinds[i]));
        self.words(&weave.yarns_of[i]);
        self.words(&weave.links[i].map(link_number));
        self.numbers(weave.positions[i].as_slice());
        self.numbers(&weave.arcs[i]);
        self.numbers(state.positions[i].as_slice());
        self.numbers(&state.arcs[i]);
        self.numbers(&state.velocities[i]);
        self.numbers(&state.momenta[i]);
        self.numbers(&state.sliding_anchors[i]);
        self.words(&state.corner_anchors[i].map(f32::to_bits));
        self.numbers(state.normals[i].as_slice());
        self.number(state.compression[i]);
    }

    fn contact(&mut self, contact: Option<&Contact>) {
        let (body, mode, force) = match contact {
            None => (u32::MAX, 0, 0.0),
            Some(c) => (c.body, mode_number(c.mode), c.normal_force),
        };
        self.word(body);
        self.word(mode);
        self.number(force);
        let grip = contact.and_then(|c| c.grip);
        self.word(grip.map_or(LOOSE, |g| u32::from(g.slipping)));
        self.numbers(grip.map_or(Vector3::zeros(), |g| g.anchor.coords).as_slice());
        self.numbers(grip.map_or(Vector3::zeros(), |g| g.acceleration).as_slice());
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn number(&mut self) -> Option<f64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f64::from_le_bytes(*number))
    }

    fn words<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut out = [0; N];
        for n in &mut out {
            *n = self.word()?;
        }
        Some(out)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut out = [0.0; N];
        for n in &mut out {
            *n = self.number()?;
        }
        Some(out)
    }

    fn vector(&mut self) -> Option<Vector3<f64>> {
        self.numbers::<3>().map(Vector3::from)
    }

    fn simulation(
        &mut self,
        nodes: usize,
        yarns: usize,
        has_contacts: bool,
        material: super::YarnMaterial,
    ) -> Option<Restored> {
        let [time, step, calm, last_step] = self.numbers()?;
        let control = StepControl { pace: Pace { step, calm: calm as usize }, last_step };
        let mut weave = Weave {
            material,
            positions: Vec::new(),
            arcs: Vec::new(),
            links: Vec::new(),
            kinds: Vec::new(),
            yarns_of: Vec::new(),
            yarns: (0..yarns).map(|_| self.yarn()).collect::<Option<_>>()?,
        };
        let mut state = State::at_rest(&weave);
        state.time = time;
        let mut contacts = Vec::new();
        for _ in 0..nodes {
            self.node(&mut weave, &mut state)?;
            if has_contacts {
                contacts.push([self.contact()?, self.contact()?]);
            }
        }
        Some(Restored { weave, state, contacts, control })
    }

    fn yarn(&mut self) -> Option<Yarn> {
        let [first, slot, family] = self.words()?;
        let slot = *Slot::BOTH.get(slot as usize)?;
        Some(Yarn { first, slot, family: *[Family::Warp, Family::Weft, Family::Seam].get(family as usize)? })
    }

    fn node(&mut self, weave: &mut Weave, state: &mut State) -> Option<()> {
        weave.kinds.push(kind(self.word()?)?);
        weave.yarns_of.push(self.words()?);
        weave.links.push(self.words()?.map(link));
        weave.positions.push(self.vector()?);
        weave.arcs.push(self.numbers()?);
        state.positions.push(self.vector()?);
        state.arcs.push(self.numbers()?);
        state.velocities.push(self.numbers()?);
        state.momenta.push(self.numbers()?);
        state.sliding_anchors.push(self.numbers()?);
        state.corner_anchors.push(self.words()?.map(f32::from_bits));
        state.normals.push(self.vector()?);
        state.compression.push(self.number()?);
        Some(())
    }

    fn contact(&mut self) -> Option<Option<Contact>> {
        let [body, mode] = self.words()?;
        let normal_force = self.number()?;
        let mode = if mode == STICK { Mode::Stick } else { Mode::Slide(u8::try_from(mode).ok()?) };
        let (held, anchor, acceleration) = (self.word()?, self.vector()?.into(), self.vector()?);
        let grip = (held != LOOSE).then_some(Grip { anchor, acceleration, slipping: held == 1 });
        Some((body != u32::MAX).then_some(Contact { body, mode, normal_force, grip }))
    }
}

const STICK: u32 = 256;
/// Not tied to the body.
const LOOSE: u32 = 2;

fn mode_number(mode: Mode) -> u32 {
    match mode {
        Mode::Stick => STICK,
        Mode::Slide(n) => u32::from(n),
    }
}

fn link_number(link: Link) -> u32 {
    link.get().map_or(u32::MAX, |(node, port)| (node as u32) << 2 | port.index() as u32)
}

fn link(bits: u32) -> Link {
    if bits == u32::MAX { Link::NONE } else { Link::to((bits >> 2) as usize, (bits & 3) as usize) }
}

fn family_number(family: Family) -> u32 {
    match family {
        Family::Warp => 0,
        Family::Weft => 1,
        Family::Seam => 2,
    }
}

fn kind_number(kind: NodeKind) -> u32 {
    match kind {
        NodeKind::Crossing { warp_over } => u32::from(warp_over),
        NodeKind::Plain => 2,
        NodeKind::End => 3,
        NodeKind::Seam => 4,
        NodeKind::Gone => 5,
    }
}

fn kind(number: u32) -> Option<NodeKind> {
    Some(match number {
        0 | 1 => NodeKind::Crossing { warp_over: number == 1 },
        2 => NodeKind::Plain,
        3 => NodeKind::End,
        4 => NodeKind::Seam,
        5 => NodeKind::Gone,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yarn::scene::Scene;

    /// A small sheet that falls on a ball, after some frames.
    fn falling() -> YarnSimulation {
        let text =
            br#"{ "cloth": { "sheet": { "extent": { "yarns": [9, 8] }, "v": [0, 0, -1], "center": [0, 0.0055, 0] } },
            "pins": [{ "hold": { "corners": [["first", "first"]] }, "until": 0.02 }],
            "bodies": [{ "shape": { "sphere": { "radius": 0.0045 } } }] }"#;
        Scene::parse(text, "falling").unwrap().build("falling", Path::new(".")).unwrap()
    }

    #[test]
    fn a_resumed_simulation_has_the_bits_of_one_that_was_not_interrupted() {
        let mut whole = falling();
        whole.advance(0.03).unwrap();
        let bytes = to_bytes(&whole, 3);
        whole.advance(0.03).unwrap();
        let mut resumed = falling();
        restore(&bytes, &mut resumed, 3, "test").unwrap();
        assert_eq!(to_bytes(&resumed, 3), bytes);
        resumed.advance(0.03).unwrap();
        assert!(resumed.step_memory().0.iter().flatten().flatten().count() > 0, "nothing touches the ball");
        assert_eq!(to_bytes(&resumed, 3), to_bytes(&whole, 3));
        // The control: without what the last steps did, the motion is another one.
        let mut other = falling();
        let state = State { momenta: vec![[0.0; 5]; whole.weave().node_count()], ..whole.state().clone() };
        other.set_state(state);
        other.advance(0.01).unwrap();
        whole.advance(0.01).unwrap();
        assert_ne!(to_bytes(&other, 3), to_bytes(&whole, 3));
    }

    #[test]
    fn damage_and_other_scenes_are_refused() {
        let mut simulation = falling();
        simulation.advance(0.002).unwrap();
        let good = to_bytes(&simulation, 3);
        assert!(restore(&good, &mut simulation, 4, "test").unwrap_err().to_string().contains("another scene"));
        for i in (0..good.len()).step_by(7) {
            let mut bad = good.clone();
            bad[i] ^= 0x10;
            assert!(restore(&bad, &mut simulation, 3, "test").is_err(), "byte {i}");
            assert!(restore(&good[..i], &mut simulation, 3, "test").is_err(), "cut at {i}");
        }
        // Behind a right checksum: no panic, and nothing is reserved for counts that are not there.
        for i in (8..200).chain((200..good.len() - 4).step_by(101)) {
            let mut bad = good[..good.len() - 4].to_vec();
            bad[i] ^= 0xff;
            let sum = hash(&bad);
            bad.extend(sum.to_le_bytes());
            if restore(&bad, &mut simulation, 3, "test").is_ok() {
                assert!(simulation.state().is_sound());
            }
        }
    }
}
