/**
 * A program that logs and then exits in the way given by its argument. The tests read its output.
 *
 * @module
 */

import { Logger } from "../../../src/base/log/logger.ts";

const COUNT = 200;
const logger = new Logger().SetTimeFormat("");

const WAYS: Record<string, () => void> = {
  end: talk,
  exit() {
    talk();
    Deno.exit(3);
  },
  fatal() {
    talk();
    logger.Fatalf("gone with %d", 1);
  },
  silentFatal() {
    logger.SetLevel("disable").Fatal("unseen");
  },
  throw() {
    talk();
    throw new Error("thrown");
  },
  throwLater() {
    setTimeout(WAYS.throw as () => void, 1);
  },
  reject() {
    talk();
    Promise.reject(new Error("rejected"));
  },
  hang() {
    logger.Info("before the hang");
    for (;;);
  },
  closedOutput() {
    let turns = 0;
    const timer = setInterval(() => {
      talk();
      if (++turns < 50) return;
      clearInterval(timer);
      Deno.stderr.writeSync(new TextEncoder().encode("alive"));
    }, 2);
  },
  colors() {
    logger.SetLevel("debug");
    logger.Debug("d");
    logger.Info("i");
    logger.Warn("w");
    logger.Error("e");
    logger.Fatal("f");
  },
};

function talk(): void {
  for (let i = 0; i < COUNT; i++) logger.Info("line", i);
}

WAYS[Deno.args[0] ?? ""]?.();
