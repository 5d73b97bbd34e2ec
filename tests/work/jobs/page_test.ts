import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";
import * as page from "../../../src/work/jobs/page.ts";
import { withPage } from "../../browser.ts";
import { overSocket } from "../../serving.ts";

const hostile = `<img src=x onerror="alert('1')">&`;

function fail(text: string): never {
  throw new jobs.PermanentError(text);
}

/** Creates two queues in one store, with two failed jobs and one failed job. */
async function failedJobs(): Promise<[jobs.Queue, jobs.Queue]> {
  const store = jobs.NewMemory();
  const Logger = fw.New().Logger().SetLevel("disable");
  const [mail, other] = ["mail", hostile].map((Name) => jobs.New(store, { Name, Logger }).Handle(fail));
  const queues = [mail, other] as [jobs.Queue, jobs.Queue];
  await queues[0].Add(fail, hostile);
  await queues[0].Add(fail, "second");
  await queues[1].Add(fail, "other");
  for (const queue of queues) await queue.Drain();
  return queues;
}

function send(port: number, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/ops/jobs`, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { "sec-fetch-site": "same-origin", ...headers },
    redirect: "manual",
  });
}

Deno.test("Page.Register() shows the queues and their failed jobs, and escapes everything", async () => {
  const queues = await failedJobs();
  const app = fw.New();
  page.New(queues, { Title: hostile }).Register(app.Party("/ops/jobs"));
  await overSocket(app, async (_, port) => {
    const response = await fetch(`http://127.0.0.1:${port}/ops/jobs?retried=%3Cb%3E`);
    const text = await response.text();
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertStringIncludes(response.headers.get("content-security-policy") ?? "", "default-src 'none'");
    assertStringIncludes(text, "<button>Pause queue</button></form></td><td>0</td><td>0</td><td>0</td><td>2</td>");
    assertStringIncludes(text, "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;");
    assertEquals(text.match(/<img|<b>|onerror="/g), null);
    // Pause and Resume of both queues and their jobs, two buttons for all failed jobs, and two for each one.
    assertEquals(text.match(/<button>/g)?.length, 4 + 4 + 6);
    assertStringIncludes(text, "<button>Retry all failed (2)</button>");
  });
});

Deno.test("Page.Register() runs one failed job or all of a queue again", async () => {
  const [mail, other] = await failedJobs();
  const app = fw.New();
  page.New([mail, other]).Register(app.Party("/ops/jobs"));
  await overSocket(app, async (_, port) => {
    const [failed] = await mail.List({ State: "failed" });
    const one = await send(port, { queue: "mail", id: failed?.ID ?? "" });
    assertEquals([one.status, one.headers.get("location")], [303, "?retried=1"]);
    await one.body?.cancel();
    assertEquals((await mail.Stats()).Due, 1);
    const all = await send(port, { queue: "mail", id: "" });
    assertEquals(all.headers.get("location"), "?retried=1");
    await all.body?.cancel();
    assertEquals([(await mail.Stats()).Due, (await other.Stats()).Failed], [2, 1]);
    const after = await (await fetch(`http://127.0.0.1:${port}/ops/jobs?retried=1`)).text();
    assertStringIncludes(after, "1 job runs again.");
  });
});

Deno.test("Page.Register() rejects forms of other sites, and jobs of queues that it does not show", async () => {
  const [mail, other] = await failedJobs();
  const app = fw.New();
  page.New(mail).Register(app.Party("/ops/jobs"));
  await overSocket(app, async (_, port) => {
    const status = async (form: Record<string, string>, headers?: Record<string, string>) => {
      const response = await send(port, form, headers);
      await response.body?.cancel();
      return response.status;
    };
    const [hidden] = await other.List({ State: "failed" });
    assertEquals(await status({ queue: "mail", id: "" }, { "sec-fetch-site": "cross-site" }), 403);
    assertEquals(await status({ queue: "mail", id: "" }, { "sec-fetch-site": "same-site" }), 403);
    assertEquals(await status({ queue: hostile, id: "" }), 404);
    assertEquals(await status({ queue: "mail", id: hidden?.ID ?? "" }), 303);
    assertEquals([(await mail.Stats()).Failed, (await other.Stats()).Failed], [2, 1]);
  });
});

Deno.test("Page.Register() leaves the guard to the party", async () => {
  const [mail] = await failedJobs();
  const app = fw.New();
  const party = app.Party("/ops/jobs");
  party.Use((ctx) => ctx.StopWithStatus(401));
  page.New(mail).Register(party);
  await overSocket(app, async (_, port) => {
    const shown = await fetch(`http://127.0.0.1:${port}/ops/jobs`);
    const sent = await send(port, { queue: "mail", id: "" });
    assertEquals([shown.status, sent.status], [401, 401]);
    assert(!(await shown.text()).includes("mail"));
    await sent.body?.cancel();
    assertEquals((await mail.Stats()).Failed, 2);
  });
});

Deno.test("Page.Register() asks before it deletes, pauses, and runs jobs and schedules now", async () => {
  const [mail] = await failedJobs();
  await mail.Schedule("0 7 * * *", fail, "scheduled", { Name: "daily" });
  await mail.Drain();
  const app = fw.New();
  page.New(mail).Register(app.Party("/ops/jobs"));
  await overSocket(app, async (_, port) => {
    const show = async (query = "") => await (await fetch(`http://127.0.0.1:${port}/ops/jobs${query}`)).text();
    const act = async (form: Record<string, string>) => {
      const response = await send(port, { queue: "mail", ...form });
      const text = await response.text();
      return response.status === 303 ? response.headers.get("location") : text;
    };
    assertStringIncludes(await act({ act: "delete" }) ?? "", "Delete 2 failed jobs of the queue &quot;mail&quot;?");
    assertEquals((await mail.Stats()).Failed, 2);
    assertEquals(await act({ act: "delete", sure: "yes" }), "?deleted=2");
    assertStringIncludes(await show("?deleted=2"), "2 jobs were deleted.");
    assertEquals(await act({ act: "pause" }), "?paused=1");
    assertStringIncludes(await show(), "Resume queue");
    assertEquals(await act({ act: "resume" }), "?resumed=1");
    assertStringIncludes(await show(), "<td>0 7 * * *<br>");
    assertEquals(await act({ act: "tick", id: "daily" }), "?ticked=1");
    assertEquals((await mail.Stats()).Due, 1);
    const [job] = await mail.List({ State: "waiting" });
    assertEquals(await act({ act: "run", id: job?.ID ?? "" }), "?started=1");
    const unknown = await send(port, { queue: "mail", act: "__proto__" });
    await unknown.body?.cancel();
    assertEquals(unknown.status, 404);
  });
});

Deno.test("Page.Register() shows the errors and buttons of failed jobs within a narrow screen", async () => {
  const [mail] = await failedJobs();
  const app = fw.New();
  page.New(mail).Register(app.Party("/ops/jobs"));
  await overSocket(app, (_, port) =>
    withPage(async (browser) => {
      await browser.setViewportSize({ width: 390, height: 844 });
      await browser.goto(`http://127.0.0.1:${port}/ops/jobs`);
      for (const summary of await browser.locator("summary").all()) await summary.click();
      const parts = await browser.locator(".stack :is(summary, pre, button)").all();
      // Each of the two jobs has an error with its stack and two buttons, and two more are for all of them.
      assertEquals(parts.length, 2 * 4 + 2);
      for (const part of parts) {
        const { x, width } = await part.boundingBox() ?? fail("A part of the page is not visible");
        assert(x >= 0 && x + width <= 390, `${await part.innerText()} ends at ${x + width}`);
      }
    }));
});
