import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { type LogOutput, sinkOf } from "../../../src/base/log/sink.ts";

const TALKER = new URL("./talker.ts", import.meta.url).href;
const EXPECTED = Array.from({ length: 200 }, (_, i) => `[INFO] line ${i}\n`).join("");
const HAS_SCRIPT = Deno.build.os === "linux" && await exists("/usr/bin/script");

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

interface Outcome {
  code: number;
  out: string;
  err: string;
}

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, env, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

function talk(way: string, env?: Record<string, string>): Promise<Outcome> {
  return run(Deno.execPath(), ["run", "--no-prompt", "--quiet", TALKER, way], env);
}

/** A writer that stores each write as a string. */
class Keeper {
  readonly writes: string[] = [];
  writeSync(bytes: Uint8Array): number {
    this.writes.push(new TextDecoder().decode(bytes));
    return bytes.length;
  }
}

Deno.test("sinkOf() passes each line to a function immediately", () => {
  const lines: string[] = [];
  const sink = sinkOf((line) => lines.push(line));
  sink.push("a");
  sink.push("b");
  assertEquals(lines, ["a", "b"]);
});

Deno.test("sinkOf() survives a function that throws", () => {
  sinkOf(() => {
    throw new Error("full");
  }).push("a");
});

Deno.test("sinkOf() rejects invalid outputs", () => {
  for (const output of [undefined, null, 5, {}, "stdout"]) {
    assertThrows(
      () => sinkOf(output as LogOutput),
      TypeError,
      "must be a function or a writer with a writeSync method",
    );
  }
});

Deno.test("sinkOf() writes the first line immediately and the other lines of the same turn together", async () => {
  const keeper = new Keeper();
  const sink = sinkOf(keeper);
  for (const line of ["a", "b", "c", "é"]) sink.push(line);
  assertEquals(keeper.writes, ["a\n"]);
  await setImmediate();
  assertEquals(keeper.writes, ["a\n", "b\nc\né\n"]);
});

Deno.test("sinkOf() collects lines until a turn without lines", async () => {
  const keeper = new Keeper();
  const sink = sinkOf(keeper);
  for (const line of ["a", "b"]) sink.push(line);
  await setImmediate();
  for (const line of ["c", "d"]) sink.push(line);
  assertEquals(keeper.writes, ["a\n", "b\n"]);
  await setImmediate();
  assertEquals(keeper.writes, ["a\n", "b\n", "c\nd\n"]);
  await setImmediate();
  await setImmediate();
  sink.push("e");
  assertEquals(keeper.writes.at(-1), "e\n");
});

Deno.test("sinkOf() writes a batch beyond 16 KiB without waiting", () => {
  const keeper = new Keeper();
  const sink = sinkOf(keeper);
  const line = "x".repeat(1023);
  for (let i = 0; i < 1 + 40; i++) sink.push(line);
  assertEquals(keeper.writes.map((text) => text.length), [1024, 16 * 1024, 16 * 1024]);
  sink.flush();
  assertEquals(keeper.writes.at(-1)?.length, 8 * 1024);
});

Deno.test("Sink.flush() writes buffered lines once", async () => {
  const keeper = new Keeper();
  const sink = sinkOf(keeper);
  for (const line of ["a", "b"]) sink.push(line);
  sink.flush();
  sink.flush();
  await setImmediate();
  assertEquals(keeper.writes, ["a\n", "b\n"]);
});

Deno.test("sinkOf() returns the same sink for the same writer, so that two loggers keep their order", () => {
  const keeper = new Keeper();
  assertStrictEquals(sinkOf(keeper), sinkOf(keeper));
});

Deno.test("Sink.push() continues after a short write until all bytes are written", () => {
  const bytes: number[] = [];
  const sink = sinkOf({
    writeSync(chunk) {
      bytes.push(...chunk.subarray(0, 3));
      return Math.min(3, chunk.length);
    },
  });
  sink.push("größer als drei");
  assertEquals(new TextDecoder().decode(new Uint8Array(bytes)), "größer als drei\n");
});

Deno.test("Sink.push() waits for a pipe that is full for a while", () => {
  const keeper = new Keeper();
  let refusals = 3;
  sinkOf({
    writeSync(bytes) {
      if (refusals-- > 0) throw new Deno.errors.WouldBlock("full");
      return keeper.writeSync(bytes);
    },
  }).push("late");
  assertEquals(keeper.writes, ["late\n"]);
});

Deno.test("Sink.push() survives a writer that fails and uses it again when it recovers", async () => {
  const keeper = new Keeper();
  let broken = true;
  const sink = sinkOf({
    writeSync(bytes) {
      if (broken) throw new Error("disk full");
      return keeper.writeSync(bytes);
    },
  });
  sink.push("lost");
  broken = false;
  await setImmediate();
  await setImmediate();
  sink.push("kept");
  assertEquals(keeper.writes, ["kept\n"]);
});

Deno.test("Sink.push() stops writing after the reader has closed the pipe", async () => {
  let calls = 0;
  const sink = sinkOf({
    writeSync() {
      calls++;
      throw new Deno.errors.BrokenPipe();
    },
  });
  for (let i = 0; i < 5; i++) sink.push("a");
  await setImmediate();
  assertEquals(calls, 1);
});

Deno.test("sinkOf() writes to a real file", async () => {
  const path = await Deno.makeTempFile();
  try {
    using file = await Deno.open(path, { write: true });
    const sink = sinkOf(file);
    for (const line of ["a", "b"]) sink.push(line);
    sink.flush();
    assertEquals(await Deno.readTextFile(path), "a\nb\n");
    assert(!sink.color);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("Logger loses no line when the process exits normally, without any permission", async () => {
  assertEquals(await talk("end"), { code: 0, out: EXPECTED, err: "" });
});

Deno.test("Logger loses no line if Deno.exit() is called immediately afterwards", async () => {
  assertEquals(await talk("exit"), { code: 3, out: EXPECTED, err: "" });
});

Deno.test("Logger.Fatalf() writes all lines and ends the process with code 1", async () => {
  assertEquals(await talk("fatal"), { code: 1, out: `${EXPECTED}[FTAL] gone with 1\n`, err: "" });
});

Deno.test("Logger.Fatal() ends the process even if its level is disabled", async () => {
  assertEquals(await talk("silentFatal"), { code: 1, out: "", err: "" });
});

for (const way of ["throw", "throwLater", "reject"]) {
  Deno.test(`Logger loses no line when the process is terminated by an error (${way})`, async () => {
    const { code, out, err } = await talk(way);
    assertEquals([code, out], [1, EXPECTED]);
    assert(err.includes("Uncaught"), err);
  });
}

Deno.test("Logger writes a line even if the next statement blocks forever", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", TALKER, "hang"],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  assertEquals(new TextDecoder().decode(value), "[INFO] before the hang\n");
});

Deno.test({
  name: "Logger continues after the reader of its output has exited (| head -1)",
  ignore: Deno.build.os === "windows",
  async fn() {
    const command = `"${Deno.execPath()}" run --quiet "${TALKER}" closedOutput | head -1`;
    assertEquals(await run("sh", ["-c", command]), { code: 0, out: "[INFO] line 0\n", err: "alive" });
  },
});

Deno.test("Logger uses no color on a pipe", async () => {
  const { out } = await talk("colors");
  assertEquals(out, "[DBUG] d\n[INFO] i\n[WARN] w\n[ERRO] e\n[FTAL] f\n");
});

Deno.test({
  name: "Logger colors the titles on a terminal, and not when NO_COLOR is set",
  ignore: !HAS_SCRIPT,
  async fn() {
    const command = `"${Deno.execPath()}" run --quiet "${TALKER}" colors`;
    const args = ["--quiet", "--command", command, "/dev/null"];
    const colored = await run("script", args, { NO_COLOR: "" });
    assert(colored.out.includes("\x1b[36m[INFO]\x1b[39m i"), JSON.stringify(colored));
    assert(colored.out.includes("\x1b[31m[ERRO]\x1b[39m e"), JSON.stringify(colored));
    const plain = await run("script", args, { NO_COLOR: "1" });
    assertEquals(plain.out.replaceAll("\r", ""), "[DBUG] d\n[INFO] i\n[WARN] w\n[ERRO] e\n[FTAL] f\n");
  },
});
