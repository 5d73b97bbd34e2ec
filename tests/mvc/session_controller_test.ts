import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import { SessionController } from "../../mvc/session_controller.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { SpyStore } from "../state/sessions/spy_store.ts";
import { Visitor } from "../state/sessions/visitor.ts";

class VisitController extends SessionController {
  Get(): string {
    return `Visit ${this.Session.Increment("visits")}`;
  }

  PostLogout(): string {
    this.Manager.Destroy(this.Ctx);
    return "Goodbye";
  }

  Ctx!: fw.Context;
}

for (const [kind, newStore] of [["at once", sessions.NewMemory], ["later", () => new SpyStore()]] as const) {
  Deno.test(`SessionController sets Session and Manager in a BeginRequest that ends ${kind}`, async () => {
    const app = fw.New();
    mvc.New(app).Register(sessions.New({ Store: newStore() })).Handle(VisitController);
    const visitor = new Visitor(app.fetch);
    assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["Visit 1", "Visit 2"]);
    assertEquals([await visitor.ask("/logout", "POST"), visitor.cookie], ["Goodbye", ""]);
    assertEquals(await visitor.ask("/"), "Visit 1");
  });
}

Deno.test("SessionController does not store a session or send a cookie before a value is set", async () => {
  const store = new SpyStore();
  class Reading extends SessionController {
    Get(): string {
      return String(this.Session.Get("user") ?? "stranger");
    }
    Post(): void {
      this.Session.Set("user", "Ada");
    }
  }
  const app = fw.New();
  mvc.New(app).Register(sessions.New({ Store: store })).Handle(Reading);
  const first = await app.fetch(new Request("http://localhost/"));
  assertEquals([await first.text(), first.headers.get("set-cookie"), store.reads, store.writes], [
    "stranger",
    null,
    0,
    0,
  ]);
  const second = await app.fetch(new Request("http://localhost/", { method: "POST" }));
  assertEquals([second.headers.has("set-cookie"), store.writes], [true, 1]);
});

Deno.test("SessionController fails the build if no manager is registered", () => {
  const app = fw.New();
  const error = assertThrows(() => {
    mvc.New(app).Handle(VisitController);
    app.Build();
  }, FrameworkError);
  assertStringIncludes(error.message, `field "Manager" needs the dependency "SessionManager"`);
});

Deno.test("Register() accepts the Start function of a session manager", async () => {
  for (const Store of [sessions.NewMemory(), new SpyStore()]) {
    const manager = sessions.New({ Store });
    class StartController {
      session = mvc.Inject(manager.Start);
      Get(): string {
        return `Visit ${this.session.Increment("visits")}`;
      }
    }
    const app = fw.New();
    mvc.New(app).Register(manager.Start).Handle(StartController);
    const visitor = new Visitor(app.fetch);
    assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["Visit 1", "Visit 2"]);
  }
});

Deno.test("mvc.Inject(sessions.Session) resolves the session of a registered Start function", async () => {
  for (const Store of [sessions.NewMemory(), new SpyStore()]) {
    const manager = sessions.New({ Store });
    class InjectController {
      session = mvc.Inject(sessions.Session);
      Get(session = mvc.Inject(sessions.Session)): string {
        return `${session === this.session} ${session.Increment("visits")}`;
      }
    }
    const app = fw.New();
    mvc.New(app).Register(manager.Start).Handle(InjectController);
    const visitor = new Visitor(app.fetch);
    assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["true 1", "true 2"]);
  }
});

Deno.test("mvc.Inject(sessions.Session) resolves the session of mvc.Provide()", async () => {
  const manager = sessions.New();
  class ProvideController {
    session = mvc.Inject(sessions.Session);
    Get(): string {
      return `Visit ${this.session.Increment("visits")}`;
    }
  }
  const app = fw.New();
  mvc.New(app).Register(mvc.Provide(sessions.Session, manager.Start)).Handle(ProvideController);
  assertEquals(await new Visitor(app.fetch).ask("/"), "Visit 1");
});
