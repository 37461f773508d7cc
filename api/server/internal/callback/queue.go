package callback

import "encoding/binary"

// unsentDelivery is a delivery that was not taken yet.
type unsentDelivery struct {
	delivery int64
	due      dueMoment
}

// blockSize is about how much of a queue is kept together, in bytes.
const blockSize = 1 << 10

// unsentQueue holds the unsent deliveries to one endpoint, first in, first out. Where an
// endpoint fails, hundreds of thousands may wait: each is kept as its differences
// from the one before it, in some four bytes.
type unsentQueue struct {
	blocks [][]byte
	length int
	head   unsentDelivery // what the first one differs from
	tail   unsentDelivery // what the next one will differ from
}

func (q *unsentQueue) pushUnsent(u unsentDelivery) {
	end := len(q.blocks) - 1
	if end < 0 || len(q.blocks[end]) >= blockSize {
		q.blocks = append(q.blocks, nil)
		end++
	}
	block := binary.AppendVarint(q.blocks[end], u.delivery-q.tail.delivery)
	q.blocks[end] = binary.AppendVarint(block, int64(u.due-q.tail.due))
	q.tail = u
	q.length++
}

// takeUnsent takes up to n off.
func (q *unsentQueue) takeUnsent(n int) []unsentDelivery {
	taken := make([]unsentDelivery, min(n, q.length))
	for at := range taken {
		block := q.blocks[0]
		delivery, size := binary.Varint(block)
		due, more := binary.Varint(block[size:])
		if q.blocks[0] = block[size+more:]; len(q.blocks[0]) == 0 {
			q.blocks = q.blocks[1:]
		}
		q.head = unsentDelivery{q.head.delivery + delivery, q.head.due + dueMoment(due)}
		taken[at] = q.head
	}
	if q.length -= len(taken); q.length == 0 {
		*q = unsentQueue{}
	}
	return taken
}
