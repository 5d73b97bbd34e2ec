/** The types of everything that begins with `init`, in one check, because fw's own sources are most of the work. */

import { join } from "@std/path";
import { Files } from "../../../src/tools/init/mod.ts";
import { applyStep, createState, linkCheckout, readSteps, type Step, writeFile } from "../../book/tutorial.ts";
import { checkTogether } from "../../check_together.ts";

const none = { API: false, Site: false, MVC: false, Sessions: false, Accounts: false };
const parts = Object.keys(none);
const choices = [...parts.map((part) => [part]), parts].map((chosen) => ({
  ...none,
  ...Object.fromEntries(chosen.map((part) => [part, true])),
}));

Deno.test("init and the pages of the tutorial write applications that are typed correctly", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const apps: string[] = [];
    for (const chosen of choices) {
      const app = join(folder, `app-${apps.length}`);
      for (const [name, text] of Files({ Name: "my-app", ...chosen })) await writeFile(join(app, name), text);
      await linkCheckout(app);
      apps.push(app);
    }
    const steps = await readSteps();
    for (const index of steps.keys()) {
      const app = await createState(steps[0] as Step, join(folder, `state-${index}`));
      for (const step of steps.slice(0, index + 1)) await applyStep(step, app);
      apps.push(app);
    }
    await checkTogether(apps);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
