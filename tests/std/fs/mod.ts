// The main entry point of the real package: all of the others at once.
export * from "./ensure_dir.ts";
export * from "./exists.ts";
export * from "./walk.ts";
