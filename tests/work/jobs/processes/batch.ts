/**
 * A process that adds a large batch of jobs, and is killed while it does.
 *
 * Arguments: the database file, or the URL of PostgreSQL, and the number of jobs.
 *
 * @module
 */

import * as jobs from "@fw/web/jobs";
import * as postgres from "@fw/web/jobs/postgres";
import * as sqlite from "@fw/web/jobs/sqlite";
import connect from "npm:postgres@^3";

const [place = "", count = "0"] = Deno.args;

function resize(_picture: number): void {}
function publish(_album: string): void {}

const store = place.startsWith("postgres:") ? postgres.New(connect(place)) : sqlite.New({ File: place });
const queue = jobs.New(store);
// deno-lint-ignore no-console
console.log("adding");
await queue.AddBatch(resize, Array.from({ length: Number(count) }, (_, i) => i), publish, "album");
// deno-lint-ignore no-console
console.log("added");
// The parent kills this process in any case.
setInterval(() => {}, 1_000);
