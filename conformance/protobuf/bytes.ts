import { Deviation } from "../deviation.js";

/** How a field is written in the protobuf wire format. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2 } as const;

export class Writer {
  readonly #pieces: Buffer[] = [];

  varint(value: bigint): void {
    const bytes: number[] = [];
    for (let left = BigInt.asUintN(64, value); ; left >>= 7n) {
      const low = Number(left & 127n);
      if (left < 128n) {
        bytes.push(low);
        break;
      }
      bytes.push(low | 128);
    }
    this.#pieces.push(Buffer.from(bytes));
  }

  tag(number: number, wire: number): void {
    this.varint(BigInt(number * 8 + wire));
  }

  double(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#pieces.push(bytes);
  }

  bytes(value: Buffer): void {
    this.varint(BigInt(value.length));
    this.#pieces.push(value);
  }

  done(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Deviation("protobuf: ends within a number");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new Deviation("protobuf: a number without end");
  }

  tag(): { number: number; wire: number } {
    const tag = Number(this.varint());
    return { number: Math.floor(tag / 8), wire: tag & 7 };
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  bytes(): Buffer {
    return this.#take(Number(this.varint()));
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new Deviation("protobuf: ends within a field");
    const piece = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return piece;
  }
}
