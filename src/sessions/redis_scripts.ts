/**
 * The scripts of the Redis store. They run atomically inside Redis.
 *
 * A session consists of two keys that expire together: `<prefix>id:<id>`, a string with the session's first ID, and
 * `<prefix>row:<first id>`, a hash of its slots (each field with a leading colon) and its current ID (field `id`).
 *
 * @module
 */
import { type Script, script } from "../store/redis_script.ts";

/** KEYS: id. ARGV: prefix. Returns the first ID, the remaining milliseconds and the hash. */
export const loadScript: Script = script(`
  local first = redis.call('GET', KEYS[1])
  if not first then return false end
  return { first, redis.call('PTTL', KEYS[1]), redis.call('HGETALL', ARGV[1] .. 'row:' .. first) }`);

/** KEYS: id, row. ARGV: id, lifetime, then alternating fields and values. */
export const createScript: Script = script(`
  if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  redis.call('HSET', KEYS[2], 'id', ARGV[1])
  for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
  return 1`);

/**
 * KEYS: row. ARGV: prefix, loaded ID, new ID, lifetime, the number of values to set, add and delete, then these values.
 */
export const commitScript: Script = script(`
  local row, prefix, new = KEYS[1], ARGV[1], ARGV[3]
  local id = redis.call('HGET', row, 'id')
  if not id then return 0 end
  if new ~= '' then
    if id ~= ARGV[2] or redis.call('EXISTS', prefix .. 'id:' .. new) > 0 then return 0 end
    redis.call('RENAME', prefix .. 'id:' .. id, prefix .. 'id:' .. new)
    redis.call('HSET', row, 'id', new)
    id = new
  end
  local at = 8
  for _ = 1, ARGV[5] do
    redis.call('HSET', row, ARGV[at], ARGV[at + 1])
    at = at + 2
  end
  for _ = 1, ARGV[6] do
    local sum = (tonumber(redis.call('HGET', row, ARGV[at]) or 0) or 0) + tonumber(ARGV[at + 1])
    redis.call('HSET', row, ARGV[at], string.format('%.17g', sum))
    at = at + 2
  end
  for _ = 1, ARGV[7] do
    redis.call('HDEL', row, ARGV[at])
    at = at + 1
  end
  if ARGV[4] ~= '' then
    redis.call('PEXPIRE', row, ARGV[4])
    redis.call('PEXPIRE', prefix .. 'id:' .. id, ARGV[4])
  end
  return 1`);

/** KEYS: row. ARGV: field. */
export const takeScript: Script = script(`
  local text = redis.call('HGET', KEYS[1], ARGV[1])
  if text then redis.call('HDEL', KEYS[1], ARGV[1]) end
  return text`);

/** KEYS: row. ARGV: prefix. */
export const destroyScript: Script = script(`
  local id = redis.call('HGET', KEYS[1], 'id')
  if not id then return 0 end
  redis.call('DEL', KEYS[1], ARGV[1] .. 'id:' .. id)
  return 1`);

/** KEYS: rows. ARGV: prefix. Returns the IDs of the rows that existed. */
export const destroyAllScript: Script = script(`
  local ids = {}
  for _, row in ipairs(KEYS) do
    local id = redis.call('HGET', row, 'id')
    if id then
      redis.call('DEL', row, ARGV[1] .. 'id:' .. id)
      ids[#ids + 1] = id
    end
  end
  return ids`);
