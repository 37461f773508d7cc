package store

import (
	"strings"
	"sync"
)

// keyCache caches API keys with their accounts until a key or an account changes. Reading
// both rows for every request would take a sixth of the time of a list request.
//
// Only the embedded database uses it, because no other process changes that database. The
// writer clears the cache before it confirms a change, so a revoked key is refused from
// the next request on.
type keyCache struct {
	mu         sync.RWMutex
	holders    map[string]*KeyHolder // by the hash of the key
	generation int                   // how often the cache was cleared
}

// maxCachedKeys is the maximum size of the cache. A full cache is emptied.
const maxCachedKeys = 10_000

// get returns the key with the hash, or nil if it is not cached. In that case, read the key from
// the database and pass it to [keyCache.put], together with generation.
func (c *keyCache) get(hash string) (holder *KeyHolder, generation int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.holders[hash], c.generation
}

// put adds a key that was read from the database. It does nothing if the cache was
// cleared after get returned the generation, because the key may have been read before
// the change.
func (c *keyCache) put(hash string, holder KeyHolder, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation != generation {
		return
	}
	if c.holders == nil || len(c.holders) >= maxCachedKeys {
		c.holders = make(map[string]*KeyHolder)
	}
	c.holders[hash] = &holder
}

// clear removes all keys.
func (c *keyCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders = nil
	c.generation++
}

// changesKeys reports whether a statement changes rows of API keys or accounts.
func changesKeys(query string) bool {
	for _, verb := range []string{"INSERT INTO ", "UPDATE ", "DELETE FROM "} {
		table, found := strings.CutPrefix(query, verb)
		if found && (strings.HasPrefix(table, "api_keys") || strings.HasPrefix(table, "accounts")) {
			return true
		}
	}
	return false
}
