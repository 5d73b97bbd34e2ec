/**
 * Binary data: typed arrays, data views and array buffers.
 *
 * @module
 */

/** Reports whether a value is binary data. */
export function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return typeof value === "object" && (ArrayBuffer.isView(value) || value instanceof ArrayBuffer);
}

/** Returns binary data as bytes, without copying it. */
export function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (data instanceof Uint8Array) return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
