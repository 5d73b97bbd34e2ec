const iterations = 100_000;

/** Hashes a password with a salt of its own. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  return `${salt.toHex()}:${(await derive(password, salt)).toHex()}`;
}

/** Reports whether a password is the one that was hashed; takes as long for an empty hash. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [salt = "", expected = ""] = hash.split(":");
  const bytes = await derive(password, Uint8Array.fromHex(salt || "00".repeat(16)));
  const wanted = Uint8Array.fromHex(expected || "00".repeat(32));
  let difference = expected === "" ? 1 : 0;
  for (const [at, byte] of bytes.entries()) difference |= byte ^ (wanted[at] ?? 0);
  return difference === 0;
}

async function derive(password: string, salt: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, 256);
  return new Uint8Array(bits);
}
