/**
 * Runs programs to completion.
 *
 * @module
 */

/**
 * Runs a program. Throws with its output if it fails.
 *
 * @param cwd The working directory.
 * @param command The program.
 * @param args Its arguments.
 * @returns The output.
 */
export async function run(cwd: string, command: string, args: readonly string[]): Promise<string> {
  const env = { NO_COLOR: "1", NODE_NO_WARNINGS: "1", CI: "1" };
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], cwd, env }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (!success) throw new Error(`${command} ${args.join(" ")} failed:\n${said.slice(-2000)}`);
  return said;
}
