#!/usr/bin/env python3
"""Reads a Yarnwise database (.ydb) as docs/reference/database-format.md describes it, and prints its contents as JSON.

    python3 docs/reference/read_database.py FILE [--values]

Plain Python and the package zstandard; made to be read beside the document, not to be fast. With --values every
displacement is printed too: a list for each table with [dX1, dX2, dX3, dtheta] for each vertex of each sample.
"""

import json
import math
import struct
import sys
import zlib

import zstandard

MAGIC = b"\x8aYDB\r\n\x1a\n"


def require(condition, problem):
    if not condition:
        sys.exit("error: " + problem)


class Fields:
    """The header's fields, in bincode's encoding."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        (value,) = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return value

    def varint(self):
        first = self.take("B")
        return first if first < 251 else self.take({251: "H", 252: "I", 253: "Q"}[first])

    def i16(self):
        code = self.varint()
        return code // 2 if code % 2 == 0 else -(code + 1) // 2

    def f64(self):
        return self.take("d")

    def string(self):
        length = self.varint()
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def list(self, element):
        return [element() for _ in range(self.varint())]

    def option(self, value):
        return value() if self.take("B") else None

    def header(self):
        return {
            "name": self.string(),
            "origin": self.string(),
            "tool": self.string(),
            "material": self.option(lambda: {k: self.f64() for k in ("young", "shear", "gamma", "contact")}),
            "settings": dict(self.list(lambda: (self.string(), self.string()))),
            "vertices": self.varint(),
            "tables": self.list(self.table),
            "chunks": self.list(lambda: (self.varint(), self.varint())),
        }

    def table(self):
        return {
            "axes": self.list(lambda: self.list(self.f64)),
            "layers_per_chunk": self.varint(),
            "lossless": self.take("B") == 1,
            "channels": [self.channel() for _ in range(4)],
        }

    def channel(self):
        return {
            "step": self.f64(),
            "tolerance": self.f64(),
            "largest_error": self.f64(),
            "coefficients": self.list(self.i16),
        }


class Block:
    """Whole numbers in streams of tokens, with their extra bits."""

    def __init__(self, data, at):
        self.merge, extra_length = struct.unpack_from("<BI", data, at)
        at += 5
        count = (23 >> self.merge) + 1
        sizes = [struct.unpack_from("<II", data, at + 8 * i) for i in range(count)]
        at += 8 * count
        self.streams = []
        for tokens, length in sizes:
            frame = data[at : at + length]
            self.streams.append(iter(unzstd(frame, tokens) if tokens else b""))
            at += length
        self.extra = int.from_bytes(data[at : at + extra_length], "little")
        self.end = at + extra_length

    def bits(self, count):
        value = self.extra & ((1 << count) - 1)
        self.extra >>= count
        return value

    def next(self, context):
        token = next(self.streams[context >> self.merge])
        code = token
        if token >= 16:
            octave = (token - 16) // 8 + 4
            code = (8 + (token - 16) % 8) * 2 ** (octave - 3) + self.bits(octave - 3)
        return code // 2 if code % 2 == 0 else -(code + 1) // 2


def unzstd(frame, length):
    contents = zstandard.ZstdDecompressor().decompress(frame, max_output_size=length)
    require(len(contents) == length, "a frame has the wrong length")
    return contents


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def rank(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return bits | 1 << 31 if bits >> 31 == 0 else bits ^ 0xFFFFFFFF


def unrank(place):
    bits = place & 0x7FFFFFFF if place >> 31 else place ^ 0xFFFFFFFF
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def subsets(available, axes):
    return [d for d in range(1 << axes) if d & ~available == 0]


def classes(axes, coefficients):
    """For each class its taps (d, D) with their coefficients."""
    out, at = [], 0
    for c in range(3):
        for available in range(1 << axes):
            taps = [(d, s) for d in range(c + 1) for s in subsets(available, axes) if (d, s) != (0, 0)]
            out.append([(d, s, k) for (d, s), k in zip(taps, coefficients[at : at + len(taps)])])
            at += len(taps)
    require(at == len(coefficients), "the number of coefficients is wrong")
    return out


def context(activity):
    t = activity + 1
    octave = t.bit_length() - 1
    half = t >> (octave - 1) & 1 if octave else 0
    return min(2 * octave + half, 23)


def read_values(data, shape, layers, vertices, channel, lossless):
    """The values of one chunk."""
    axes = len(shape)
    strides = [math.prod(shape[:k]) for k in range(axes)]
    taps = classes(axes, channel["coefficients"])
    block = Block(data, 0)
    corrections = Block(data, block.end) if lossless else None
    q, misses, out = [], [], []
    for sample in range(strides[-1] * layers):
        available = sum((sample // strides[k] % (shape[k] if k < axes - 1 else layers) > 0) << k for k in range(axes))
        for v in range(vertices):
            def at(d, subset):
                back = sum(strides[k] for k in range(axes) if subset >> k & 1)
                return (sample - back) * vertices + v - d

            total = sum(k * q[at(d, s)] for d, s, k in taps[min(v, 2) << axes | available])
            p = max(-(2**23), min(2**23, (2048 + total) // 4096))
            activity = sum(misses[at(0, 1 << k)] for k in range(axes) if available >> k & 1)
            activity += (2 * misses[-1] if v >= 1 else 0) + (misses[-2] if v >= 2 else 0)
            value = p + block.next(context(activity))
            q.append(value)
            misses.append(abs(value - p))
            rough = f32(value * channel["step"])
            if corrections:
                number = corrections.next(min(abs(value).bit_length(), 23))
                rough = unrank((rank(rough) + number) % 2**32)
            out.append(rough)
    return out


def read_table(table, vertices, chunks):
    shape = [len(axis) for axis in table["axes"]]
    values = []
    for first in range(0, shape[-1], table["layers_per_chunk"]):
        layers = min(table["layers_per_chunk"], shape[-1] - first)
        columns = [
            read_values(next(chunks), shape, layers, vertices, channel, table["lossless"])
            for channel in table["channels"]
        ]
        values += [list(row) for row in zip(*columns)]
    return values


def read_records(data, samples, version):
    data = unzstd(data, (25 if version == 1 else 81) * samples)
    known = lambda v: None if math.isnan(v) else v
    column = lambda at, kind: struct.unpack_from(f"<{samples}{kind}", data, at * samples)
    records = [
        {
            "status": ["converged", "not converged", "imported", "passed through"][status],
            "energy_density": known(energy),
            "residual": known(residual),
            "iterations": iterations,
            "started_from": None if start == 0xFFFFFFFF else start,
            "kinds": None,
            "stress": None,
        }
        for status, energy, residual, iterations, start in zip(
            column(0, "B"), column(1, "d"), column(9, "d"), column(17, "I"), column(21, "I")
        )
    ]
    if version >= 2:
        added = zip(*[column(25 + 8 * k, "d") for k in range(7)])
        for record, numbers in zip(records, added):
            kinds, stress = numbers[:4], numbers[4:]
            if not any(map(math.isnan, kinds)):
                record["kinds"] = dict(zip(("stretch", "bend", "twist", "contact"), kinds))
            if not any(map(math.isnan, stress)):
                record["stress"] = list(stress)
    return records


def read(data):
    require(data[:8] == MAGIC, "not a Yarnwise database")
    version, length, checksum = struct.unpack_from("<III", data, 8)
    require(version in (1, 2), f"version {version} is not known")
    require(zlib.crc32(data[20 : 20 + length], zlib.crc32(data[:16])) == checksum, "the header is damaged")
    fields = Fields(data[20 : 20 + length])
    header = fields.header()
    require(fields.at == length, "something follows the header")
    at, chunks = 20 + length, []
    for size, checksum in header.pop("chunks"):
        chunks.append(data[at : at + size])
        require(zlib.crc32(chunks[-1]) == checksum, f"chunk {len(chunks) - 1} is damaged")
        at += size
    require(at == len(data), "the file is cut off or something follows it")
    chunks = iter(chunks)
    header["pattern"] = zstandard.ZstdDecompressor().decompressobj().decompress(next(chunks)).decode()
    samples = [math.prod(len(axis) for axis in table["axes"]) for table in header["tables"]]
    for table, count in zip(header["tables"], samples):
        table["records"] = read_records(next(chunks), count, version)
    for table in header["tables"]:
        table["values"] = read_table(table, header["vertices"], chunks)
    require(next(chunks, None) is None, "there are chunks too many")
    return {"version": version, **header}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--values"]
    require(len(arguments) == 1, "usage: read_database.py FILE [--values]")
    with open(arguments[0], "rb") as file:
        database = read(file.read())
    for table in database["tables"]:
        for channel in table["channels"]:
            del channel["coefficients"]
        if "--values" not in sys.argv:
            table["values"] = len(table["values"])
    json.dump(database, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
