package callback

import (
	"encoding/binary"
	"time"
)

// unsent is a delivery that was not taken yet.
type unsent struct {
	delivery int64
	due      moment
}

// blockSize is about how much of a queue is kept together, in bytes.
const blockSize = 1 << 10

// queue holds what was not sent yet to one endpoint, first in, first out. Where
// an endpoint fails, hundreds of thousands may wait: each is kept as its
// differences from the one before it, in some eight bytes.
type queue struct {
	blocks [][]byte
	length int
	head   [3]int64 // what the first one differs from
	tail   [3]int64 // what the next one will differ from
}

func (q *queue) push(u unsent) {
	end := len(q.blocks) - 1
	if end < 0 || len(q.blocks[end]) >= blockSize {
		q.blocks = append(q.blocks, nil)
		end++
	}
	next := [...]int64{u.delivery, u.due.service, u.due.service - int64(u.due.machine)} // the last changes little
	for i, n := range next {
		q.blocks[end] = binary.AppendVarint(q.blocks[end], n-q.tail[i])
	}
	q.tail = next
	q.length++
}

// take takes up to n off.
func (q *queue) take(n int) []unsent {
	taken := make([]unsent, min(n, q.length))
	for at := range taken {
		for i := range q.head {
			difference, size := binary.Varint(q.blocks[0])
			q.blocks[0] = q.blocks[0][size:]
			q.head[i] += difference
		}
		if len(q.blocks[0]) == 0 {
			q.blocks = q.blocks[1:]
		}
		taken[at] = unsent{q.head[0], moment{service: q.head[1], machine: time.Duration(q.head[1] - q.head[2])}}
	}
	if q.length -= len(taken); q.length == 0 {
		*q = queue{}
	}
	return taken
}
