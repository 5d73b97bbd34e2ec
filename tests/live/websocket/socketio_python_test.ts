import { assertEquals } from "@std/assert";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** A client without options. It prints what it receives as JSON. */
const program = `
import json, sys, threading, socketio
client = socketio.Client()
said = threading.Event()
heard = []
@client.on("said")
def on_said(data):
    heard.append([data["text"], list(data["bytes"])])
    said.set()
client.connect(sys.argv[1])
echoed = client.call("echo", {"text": "ü", "bytes": b"\\x01\\x02"})
client.emit("say", {"text": "hi", "bytes": b"\\x03"})
said.wait(10)
transport = client.transport()
client.disconnect()
print(json.dumps([echoed["text"], list(echoed["bytes"]), heard, transport]))
`;

/** Runs Python with the packages in the folder `FW_TEST_PYTHONPATH`, if it is set. */
async function python(...args: string[]): Promise<{ success: boolean; text: string }> {
  const folder = Deno.env.get("FW_TEST_PYTHONPATH");
  try {
    const { success, stdout, stderr } = await new Deno.Command("python3", {
      args,
      ...folder !== undefined && { env: { PYTHONPATH: folder } },
    }).output();
    return { success, text: new TextDecoder().decode(success ? stdout : stderr) };
  } catch {
    return { success: false, text: "" };
  }
}

const { success: isInstalled } = await python("-c", "import socketio");

Deno.test({
  name: "Handler() of socketio serves the client of python-socketio without options",
  ignore: !isInstalled,
  async fn() {
    const server = websocket.New({ Hub: live.New() });
    server.On(websocket.OnNamespaceConnected, (conn) => conn.Join("all"));
    server.On("echo", (_conn, data) => data);
    server.On("say", (conn, data) => conn.To("all").Emit("said", data));
    const app = quiet();
    app.Configure(fw.WithoutPathCorrectionRedirection);
    app.Any("/socket.io", socketio.Handler(server));
    await overSocket(app, async (_ask, port) => {
      const { success, text } = await python("-c", program, `http://127.0.0.1:${port}`);
      assertEquals(success, true, text);
      assertEquals(JSON.parse(text), ["ü", [1, 2], [["hi", [3]]], "websocket"]);
    });
  },
});
