/**
 * An S3-compatible server on a free port. It uses s3rver, which verifies signatures and stores objects as files.
 *
 * @module
 */

import { join } from "@std/path";
import { walk, type WalkEntry } from "@std/fs/walk";
import S3rver from "npm:s3rver@^3.7.1";

/** A running server. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** Lists everything that is stored in a bucket, including parts of incomplete uploads. */
  stored(bucket: string): Promise<string[]>;
}

/** The access keys of the server. */
export const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" } as const;

/** Starts a server with a bucket. */
export async function startS3(bucket: string): Promise<S3Server> {
  const directory = await Deno.makeTempDir({ prefix: "fw_s3_" });
  const configureBuckets = [{ name: bucket, configs: [] }];
  const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets });
  server.middleware.unshift((context: S3Context, next: () => Promise<void>) => abortUpload(context, next, directory));
  const { port } = await server.run();
  return {
    url: `http://127.0.0.1:${port}`,
    async stored(bucket) {
      const files = await filesIn(join(directory, bucket));
      return files.map(({ name }) => name).filter((name) => /_object$|^\d+$/.test(name)).sort();
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Lists the files in a folder. If the server removes a folder in the meantime, starts over. Windows calls it busy. */
async function filesIn(folder: string): Promise<WalkEntry[]> {
  try {
    return await Array.fromAsync(walk(folder, { includeDirs: false }));
  } catch (error) {
    if (error instanceof Error && /not found|ENOENT|EBUSY/i.test(`${error.name} ${error.message}`)) {
      return await filesIn(folder);
    }
    throw error;
  }
}

/** The parts of an s3rver request that are used here. */
interface S3Context {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  status: number;
}

/** Removes the parts of an aborted upload. s3rver does not implement this request. */
async function abortUpload(context: S3Context, next: () => Promise<void>, directory: string): Promise<void> {
  const { uploadId } = context.query;
  if (context.method !== "DELETE" || uploadId === undefined) return await next();
  const [bucket = ""] = context.path.slice(1).split("/");
  await Deno.remove(join(directory, bucket, "._S3rver_uploads", uploadId), { recursive: true });
  context.status = 204;
}
