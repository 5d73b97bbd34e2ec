/**
 * Binary data: typed arrays, data views and array buffers.
 *
 * @module
 */

/** Reports whether a value is binary data. */
export function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView {
  return typeof value === "object" && (ArrayBuffer.isView(value) || value instanceof ArrayBuffer);
}

/** Returns binary data as bytes, without copying it unless its memory is shared with other threads. */
export function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const { buffer, byteOffset, byteLength } = data;
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(buffer, byteOffset, byteLength).slice();
}
