// The main entry point of the real package, which exports all others.
export * from "./ensure_dir.ts";
export * from "./exists.ts";
export * from "./walk.ts";
