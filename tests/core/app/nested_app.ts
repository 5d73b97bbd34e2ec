// deno-lint-ignore-file no-console -- the lines are read by the test
/**
 * Applications inside each other, for the tests of their life: `outer` mounts a switch, which serves `left` and
 * `right`, which both mount `shared`. Each has a queue with a schedule, a hub, a singleton and an extension. Every step
 * is a line of standard output.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as jobs from "@fw/web/jobs";
import * as live from "@fw/web/live";
import * as mvc from "@fw/web/mvc";
import * as websocket from "@fw/web/websocket";

const mode = Deno.args[0] ?? "run";

function note(text: string): void {
  console.log(text);
}

function newApp(name: string): fw.Application {
  class Service implements Disposable {
    [Symbol.dispose](): void {
      note(`${name}: singleton disposed`);
    }
  }
  class Controller {
    readonly service = mvc.Inject(Service);
    Get(): string {
      return name;
    }
  }
  const app = fw.New();
  app.Logger().SetLevel("disable");
  mvc.New(app.Party("/controller")).Register(mvc.Singleton(Service)).Handle(Controller);
  const server = websocket.New({ Hub: live.New() });
  app.Get("/ws", websocket.Handler(server));
  function tick(): void {}
  const queue = jobs.New(jobs.NewMemory(), { Name: name }).Handle(tick);
  queue.Schedule("0 0 1 1 *", tick);
  queue.RunWith(app);
  app.RegisterOnInterrupt(() => note(`${name}: interrupted`));
  app.RegisterOnShutdown(() => note(`${name}: shutdown`));
  app.Install({
    Name: "steps",
    Install(host) {
      host.Check("steps", () => note(`${name}: checked`), "start");
      if (mode === "check" && name === "shared") host.Check("broken", () => false, "start");
      host.Run((signal) => {
        note(`${name}: started`);
        return new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => {
            note(`${name}: told to stop`);
            resolve();
          })
        );
      }, {
        Drain: () => note(`${name}: drained`),
        Dispose: () => note(`${name}: disposed`),
      });
    },
  });
  return app;
}

const shared = newApp("shared");
const left = newApp("left");
const right = newApp("right");
left.Mount("/shared", shared);
right.Mount("/shared", shared.fetch);
const hosts = apps.Switch([{ Pattern: "left.test", Target: left }, { Pattern: "right.test", Target: right }]);
export const outer: fw.Application = newApp("outer");
outer.Mount("/sites", hosts);
outer.Mount("/left", left);

export default outer;

if (import.meta.main) {
  const listen = fw.WithOnListen((addr) => note(`port ${(addr as Deno.NetAddr).port}`));
  await outer.Run(`127.0.0.1:${Deno.args[1] ?? 0}`, listen, fw.WithoutStartupLog);
}
