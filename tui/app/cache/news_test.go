package cache

import "testing"

func TestTheNewsQueueDropsNewsThatNobodyReads(t *testing.T) {
	var queue newsQueue
	for range maxNews {
		queue.add(NewsItem{}, NewsItem{})
	}
	if n := len(queue.takeAll()); n != maxNews {
		t.Errorf("%d items are queued", n)
	}
	if n := len(queue.takeAll()); n != 0 {
		t.Errorf("%d items are left", n)
	}
}
