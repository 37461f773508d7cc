package store

import "testing"

func TestAKeyThatWasReadBeforeAChangeIsNotCached(t *testing.T) {
	var c keyCache
	_, generation := c.get("h")
	c.clear()
	c.put("h", KeyHolder{}, generation)
	if cached, _ := c.get("h"); cached != nil {
		t.Error("a key read before the change is cached after it")
	}
	_, generation = c.get("h")
	c.put("h", KeyHolder{}, generation)
	if cached, _ := c.get("h"); cached == nil {
		t.Error("a key read after the change is not cached")
	}
}

func TestTheKeyCacheIsBounded(t *testing.T) {
	var c keyCache
	for i := range 3 * maxCachedKeys {
		_, generation := c.get("")
		c.put(string(rune(i)), KeyHolder{}, generation)
		if len(c.holders) > maxCachedKeys {
			t.Fatalf("%d keys are cached", len(c.holders))
		}
	}
}

func TestStatementsThatChangeKeysAreRecognised(t *testing.T) {
	for query, want := range map[string]bool{
		`INSERT INTO api_keys (uuid) VALUES ($1)`:        true,
		`UPDATE api_keys SET revoked = $1 WHERE id = $2`: true,
		`DELETE FROM accounts`:                           true,
		`UPDATE orders SET status = $1`:                  false,
		`SELECT * FROM api_keys`:                         false,
	} {
		if changesKeys(query) != want {
			t.Errorf("%s: changesKeys is %v", query, !want)
		}
	}
}
