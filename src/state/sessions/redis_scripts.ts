/**
 * The scripts of the Redis store. They run atomically inside Redis.
 *
 * A session consists of two keys that expire together: `<prefix>id:<id>`, a string with the session's first ID, and
 * `<prefix>row:<first id>`, a hash of its slots (each field with a leading colon) and its current ID (field `id`).
 * The keys may be on different nodes of a cluster, so only scripts that are never sent to a cluster access both. An
 * ID is valid only if its row contains it, so the other key can be changed before or afterwards.
 *
 * @module
 */
import { type Script, script } from "../redis/connection.ts";

/** KEYS: ID. ARGV: prefix, ID. Finds and loads a row if it is on the same node. */
export const findScript: Script = script(`
  local first = redis.call('GET', KEYS[1])
  if not first then return false end
  local row = ARGV[1] .. 'row:' .. first
  if redis.call('HGET', row, 'id') ~= ARGV[2] then return false end
  return { redis.call('PTTL', row), redis.call('HGETALL', row), first }`);

/** KEYS: row. ARGV: ID. Returns the remaining milliseconds and the hash. */
export const loadScript: Script = script(`
  if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return false end
  return { redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1]) }`);

/** KEYS: row. ARGV: ID, lifetime, then alternating fields and values. */
export const createScript: Script = script(`
  if redis.call('EXISTS', KEYS[1]) > 0 then return 0 end
  redis.call('HSET', KEYS[1], 'id', ARGV[1])
  for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 1`);

/**
 * KEYS: row. ARGV: loaded ID, new ID, lifetime, the number of values to set, add and delete, then these values. Returns
 * the current ID.
 */
export const commitScript: Script = script(`
  local row, new = KEYS[1], ARGV[2]
  local id = redis.call('HGET', row, 'id')
  if not id then return false end
  if new ~= '' then
    if id ~= ARGV[1] then return false end
    redis.call('HSET', row, 'id', new)
    id = new
  end
  local at = 7
  for _ = 1, ARGV[4] do
    redis.call('HSET', row, ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  for _ = 1, ARGV[5] do
    local sum = (tonumber(redis.call('HGET', row, ARGV[at]) or 0) or 0) + tonumber(ARGV[at + 1])
    redis.call('HSET', row, ARGV[at], string.format('%.17g', sum))
    at = at + 2
  end
  for _ = 1, ARGV[6] do
    redis.call('HDEL', row, ARGV[at])
    at = at + 1
  end
  if ARGV[3] ~= '' then redis.call('PEXPIRE', row, ARGV[3]) end
  return id`);

/** KEYS: row. ARGV: field. */
export const takeScript: Script = script(`
  local text = redis.call('HGET', KEYS[1], ARGV[1])
  if text then redis.call('HDEL', KEYS[1], ARGV[1]) end
  return text`);

/** KEYS: row. Returns the current ID. */
export const destroyScript: Script = script(`
  local id = redis.call('HGET', KEYS[1], 'id')
  redis.call('DEL', KEYS[1])
  return id`);

/** KEYS: rows on the same node. ARGV: prefix. Returns the current IDs. */
export const destroySomeScript: Script = script(`
  local ids = {}
  for _, row in ipairs(KEYS) do
    local id = redis.call('HGET', row, 'id')
    redis.call('DEL', row)
    if id then
      redis.call('DEL', ARGV[1] .. 'id:' .. id)
      ids[#ids + 1] = id
    end
  end
  return ids`);
