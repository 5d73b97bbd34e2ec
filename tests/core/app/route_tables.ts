/**
 * Tables of routes of any size, for tests and benchmarks of how costs grow with the number of routes.
 *
 * @module
 */

import type * as fw from "../../../mod.ts";

/** A kind of table, and requests to it. */
export interface RouteTable {
  /** Registers the routes. */
  readonly register: (app: fw.Application, size: number) => void;
  /** Requests by URL, with the expected status. None of them may cost more if there are more routes. */
  readonly requests: Readonly<Record<string, number>>;
}

/** Calls a function with each number below a size. */
function times(size: number, register: (i: number) => void): void {
  for (let i = 0; i < size; i++) register(i);
}

function serve(ctx: fw.Context): void {
  ctx.WriteString("x");
}

function pass(ctx: fw.Context): Promise<void> | undefined {
  return ctx.Next();
}

/** The tables, by what they consist of. */
export const routeTables: Readonly<Record<string, RouteTable>> = {
  "static paths": {
    register: (app, size) => times(size, (i) => app.Get(`/r${i}/x`, serve)),
    requests: { "http://h/r7/x": 200, "http://h/r7/y": 404 },
  },
  "parameters with else codes": {
    register: (app, size) => times(size, (i) => app.Get(`/r${i}/{id:counted else 400}`, serve)),
    requests: { "http://h/r7/1": 200, "http://h/r7/x": 400, "http://h/q/x": 404, "http://h/r7/x/y": 404 },
  },
  "else codes below one parameter": {
    register: (app, size) => times(size, (i) => app.Get(`/{a:counted else 400}/r${i}`, serve)),
    requests: { "http://h/1/r7": 200, "http://h/x/r7": 400, "http://h/x/q": 404 },
  },
  "literal text after parameters": {
    register: (app, size) => times(size, (i) => app.Get(`/{id:counted}.r${i}`, serve)),
    requests: { "http://h/1.r7": 200, "http://h/x.r7": 404, "http://h/1.q": 404 },
  },
  "literal text and else codes": {
    register: (app, size) => times(size, (i) => app.Get(`/{id:counted else 400}.r${i}`, serve)),
    requests: { "http://h/1.r7": 200, "http://h/x.r7": 400, "http://h/x.q": 404 },
  },
  "subdomains": {
    register: (app, size) => times(size, (i) => app.Party(`s${i}.`).Get("/x", serve)),
    requests: { "http://s7.example.com/x": 200, "http://q.example.com/x": 404, "http://h/x": 404 },
  },
  "guarded parties": {
    register: (app, size) => times(size, (i) => app.Party(`/p${i}`, pass).Get("/{id:counted}", serve)),
    requests: { "http://h/p7/1": 200, "http://h/p7/x": 404, "http://h/q": 404 },
  },
  "guarded parties that other routes can reach": {
    register: (app, size) =>
      times(size, (i) => {
        app.Party(`/p${i}`, pass).Get("/y", serve);
        app.Get(`/{lang}/p${i}`, serve);
      }),
    requests: { "http://h/p7/y": 200, "http://h/en/p7": 200, "http://h/en/q": 404 },
  },
  "guarded parties that share a guard with routes that can reach them": {
    register: (app, size) =>
      times(size, (i) => {
        app.Party(`/p${i}`, pass).Get("/y", serve);
        app.Get(`/{lang}/p${i}`, pass, serve);
        app.Party("/", pass).Get(`/{id:counted}/r${i}`, serve);
      }),
    requests: { "http://h/p7/y": 200, "http://h/en/p7": 200, "http://h/1/r7": 200, "http://h/1/q": 404 },
  },
  "guarded parties with the same prefix": {
    register: (app, size) => times(size, (i) => app.Party("/p", pass).Get(`/{id:counted}/r${i}`, serve)),
    requests: { "http://h/p/1/r7": 200, "http://h/p/x/r7": 404 },
  },
};

/** Tables whose routes differ only in a pattern at one position. Requests try the patterns in turn. */
export const patternTables: Readonly<Record<string, RouteTable>> = {
  "patterns at one position": {
    register: (app, size) => times(size, (i) => app.Get(`/{name:string regexp(a${i})}`, serve)),
    requests: { "http://h/a7": 200, "http://h/q": 404 },
  },
  "patterns with else codes": {
    register: (app, size) => times(size, (i) => app.Get(`/{name:string regexp(a${i}) else 400}/r${i}`, serve)),
    requests: { "http://h/a7/r7": 200, "http://h/q/r7": 400, "http://h/q/q": 404 },
  },
  "patterns of guarded prefixes": {
    register: (app, size) => times(size, (i) => app.Party(`/{name:string regexp(a${i})}`, pass).Get(`/r${i}`, serve)),
    requests: { "http://h/a7/r7": 200, "http://h/q/r7": 404 },
  },
};
