import { assertEquals } from "@std/assert";
import { commandsOf } from "./commands.ts";
import { stepFor } from "./steps.ts";
import { allCommands } from "./walkthrough.ts";

Deno.test("commandsOf() returns the commands of shell blocks and inline code in order", () => {
  const text =
    'Run `deno task\nstart` or `app.Run`:\n\n```sh\ncd a\ncurl x   # {"id":42}\n```\n\n```ts\ndeno.add;\n```\n';
  const fence = text.indexOf("```sh");
  assertEquals(commandsOf(text, "a.md"), [
    { text: "deno task start", outcome: "", where: "a.md:1" },
    { text: "cd a", outcome: "", where: "a.md:5", fence },
    { text: "curl x", outcome: '{"id":42}', where: "a.md:6", fence },
  ]);
});

Deno.test("stepFor() supports every command in the README and the book", async () => {
  const commands = await allCommands();
  for (const { text } of commands) stepFor(text);
  assertEquals(commands.some(({ text }) => text === "deno add jsr:@fw/web"), true);
});
