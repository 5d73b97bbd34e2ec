/**
 * `deno task bench allocations`: prints how many bytes fw allocates for a request, by row.
 *
 * The number does not depend on other load on the machine, so `tests/core/exchange/request_bytes_test.ts` limits it.
 * Nothing is optimized, because the time at which V8 does so varies. The optimizer removes some of the allocations.
 */

import { fromFileUrl } from "@std/path";
import v8 from "node:v8";
import type { Context, Handler } from "../../mod.ts";

/** The requests per measurement, so few that no garbage is collected meanwhile. */
const count = 2_000;
const flags = "--v8-flags=--no-opt,--no-maglev,--single-threaded,--min-semi-space-size=64,--max-semi-space-size=64";

/** Measures all rows in another process. Returns the bytes per request by row. */
export async function bytesPerRequest(): Promise<Record<string, number>> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", flags, fromFileUrl(import.meta.url), "measure"],
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function measureAll(): Promise<Record<string, number>> {
  const fw = await import("../../mod.ts");
  const mvc = await import("../../mvc/mod.ts");
  const sessions = await import("../../src/state/sessions/mod.ts");
  const app = fw.New();
  const pong: Handler = (ctx) => ctx.WriteString("pong");
  app.Get("/plain", pong);
  app.Get("/json", (ctx) => ctx.JSON({ message: "Hello" }));
  app.Get("/parameter/{id}", (ctx) => ctx.WriteString(ctx.Params().Get("id")));
  app.Get("/async", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString("pong");
  });
  class Users {
    find(id: bigint): { readonly id: number } {
      return { id: Number(id) };
    }
  }
  const account = async (_ctx: Context): Promise<{ readonly id: number }> => await Promise.resolve({ id: 7 });
  class UserController {
    users: Users = mvc.Inject(Users);
    GetBy(id = 0n): object {
      return this.users.find(id);
    }
  }
  class AccountController {
    account: object = mvc.Inject(account) as object;
    GetBy(_id = 0n): object {
      return this.account;
    }
  }
  mvc.New(app.Party("/controller")).Register(new Users()).Handle(UserController);
  mvc.New(app.Party("/dependency")).Register(account).Handle(AccountController);
  const manager = sessions.New({ Cookie: "sid" });
  app.Get("/login", async (ctx) => void (await manager.Start(ctx)).Set("visits", 1));
  app.Get("/session", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Get("visits"))));
  const login = await app.fetch(new Request("http://localhost/login"));
  const cookie = (login.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const bytes: Record<string, number> = {};
  for (const path of ["/plain", "/json", "/parameter/7", "/async", "/controller/7", "/dependency/7", "/session"]) {
    bytes[path] = await measure(app.fetch, path, path === "/session" ? { cookie } : {});
  }
  return bytes;
}

async function measure(
  serve: (request: Request) => Response | Promise<Response>,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 5; run++) {
    const requests = Array.from({ length: count }, () => new Request(`http://localhost${path}`, { headers }));
    const before = v8.getHeapStatistics().used_heap_size;
    for (const request of requests) {
      const response = serve(request);
      if (response instanceof Promise) await response;
    }
    runs.push((v8.getHeapStatistics().used_heap_size - before) / count);
  }
  // A garbage collection makes a run negative, and the first run also compiles the code.
  const [, second = NaN] = runs.filter((each) => each > 0).sort((a, b) => a - b);
  return Math.round(second);
}

if (import.meta.main) {
  const isChild = Deno.args[0] === "measure";
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${JSON.stringify(isChild ? await measureAll() : await bytesPerRequest(), null, 2)}\n`),
  );
}
