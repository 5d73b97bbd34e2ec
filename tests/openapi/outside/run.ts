/**
 * Runs programs to their end.
 *
 * @module
 */

/**
 * Runs a program; one that fails throws with what it said.
 *
 * @param cwd The folder to run it in.
 * @param command The program.
 * @param args Its arguments.
 * @returns What it printed.
 */
export async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const env = { NO_COLOR: "1", NODE_NO_WARNINGS: "1", CI: "1" };
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, env }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${said.slice(-2000)}`);
  return said;
}
