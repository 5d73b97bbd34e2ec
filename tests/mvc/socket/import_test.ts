import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import { root } from "../../running.ts";

const program = `
class ChatController {
  OnSay(text = "") {
    return text;
  }
}
const app = fw.New();
app.Logger().SetLevel("disable");
try {
  mvc.New(app.Party("/chat")).HandleWebsocket(ChatController);
  await app.Build();
  console.log("served");
} catch (error) {
  console.log(error.Code, error.message);
}
Deno.exit(0);
`;

/** Runs the program with the given imports and returns its output. */
async function run(...imports: string[]): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "fw_socket_import_" });
  try {
    const file = join(folder, "program.ts");
    const lines = ['import * as fw from "@fw/web";', 'import * as mvc from "@fw/web/mvc";', ...imports];
    await Deno.writeTextFile(file, lines.join("\n") + program);
    const args = ["run", "-A", "--no-check", "--no-lock", `--config=${join(root, "deno.json")}`, file];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
    return new TextDecoder().decode(stdout).trim();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("HandleWebsocket() names the import of a program that does not load the WebSocket server", async () => {
  const message = 'FW_IMPORT Cannot serve "ChatController": the program does not load the WebSocket server; write ' +
    '`import "jsr:@fw/web/websocket"`, because an import of types alone is removed';
  for (const other of [[], ['import type * as websocket from "@fw/web/websocket";'], ['import "@fw/web/httptest";']]) {
    assertEquals(await run(...other), message, other.join());
  }
});

Deno.test("HandleWebsocket() serves a controller if the program imports @fw/web/websocket", async () => {
  assertEquals(await run('import "@fw/web/websocket";'), "served");
});

Deno.test("Handle() mentions HandleWebsocket() if a controller only has methods for events", () => {
  class ChatController {
    OnNamespaceConnect() {}
    OnSay() {}
  }
  const { message } = assertThrows(() => mvc.New(fw.New()).Handle(ChatController), fw.FrameworkError);
  assertStringIncludes(message, 'serve its methods "OnNamespaceConnect", "OnSay" with "HandleWebsocket"');
});
