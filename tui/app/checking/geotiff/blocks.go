package geotiff

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"flightdesk/api"
)

// maxDecoded is the number of bytes of decompressed pixels up to which all blocks of an image are read.
// Tests change it.
var maxDecoded = 768 << 20

const (
	maxSpacing = 8 // blocks from one to the next that is read of a larger image

	// A block that is much smaller than the full blocks around it can have pixels without data, and one
	// that is larger than the empty blocks around it can have data.
	leastFull = 0.6
	mostEmpty = 1.5
)

// blockState says which cells of a block are valid.
type blockState uint8

const (
	blockUnread blockState = iota
	blockEmpty
	blockFull
	blockMixed
)

// blockReader reads the valid cells of a grid from the blocks of an image: one pixel for each cell.
type blockReader struct {
	validity
	grid     *Footprint
	cells    []bool // of the grid
	step     int    // pixels from one cell to the next
	progress func(share float64)

	table         blockTable
	columns, rows []int        // columns and rows of the blocks that have pixels of cells
	states        []blockState // of these blocks
	inferred      float64      // share of these blocks that were not read
}

// read sets the cells that are valid. Of a large compressed image it reads some blocks, and then all
// blocks whose state does not follow from those around them.
func (r *blockReader) read(ctx context.Context) error {
	m := r.image
	var err error
	if r.table, err = m.readBlockTable(r.band); err != nil {
		return err
	}
	r.columns = usedBlocks(m.across, m.blockWidth, m.width, r.step)
	r.rows = usedBlocks(m.down, m.blockHeight, m.height, r.step)
	r.states = make([]blockState, len(r.columns)*len(r.rows))
	var blocks []int
	decodedSize := 0.0 // in bytes
	for i := range r.states {
		if r.storedSize(i) == 0 {
			r.setSparse(i)
			continue
		}
		blocks = append(blocks, i)
		decodedSize += float64(m.rowBytes()) * float64(m.blockHeight)
	}
	if decodedSize <= float64(maxDecoded) || m.compression == compressionNone {
		return r.readBlocks(ctx, blocks, 0, 1)
	}
	return r.readSome(ctx, blocks, r.spacingFor(decodedSize))
}

// setSparse sets the state of a block that is not stored: its pixels have the nodata value, or 0 if there
// is none, which is a value if only NaN is invalid.
func (r *blockReader) setSparse(i int) {
	if r.basis == BasisNoData && r.noData == nil {
		r.fill(i)
		r.states[i] = blockFull
		return
	}
	r.states[i] = blockEmpty
}

// usedBlocks returns the numbers of the blocks of a row, or of a column, that have pixels of cells.
func usedBlocks(count, blockSize, size, step int) (used []int) {
	for i := range count {
		first, end := cellRange(i*blockSize, min((i+1)*blockSize, size), size, step)
		if first < end {
			used = append(used, i)
		}
	}
	return used
}

// place returns the column and the row of a block among the blocks that have pixels of cells.
func (r *blockReader) place(i int) (column, row int) { return i % len(r.columns), i / len(r.columns) }

// numberOf returns the number of a block in the image.
func (r *blockReader) numberOf(i int) int {
	column, row := r.place(i)
	return r.rows[row]*r.image.across + r.columns[column]
}

func (r *blockReader) storedSize(i int) uint64 { return r.table.sizes[r.numberOf(i)] }

// readSome reads blocks that are evenly spaced, and then those that are uncertain, until the state of each
// other block follows from the blocks around it.
func (r *blockReader) readSome(ctx context.Context, blocks []int, spacing int) error {
	chosen, rest := split(blocks, func(i int) bool {
		column, row := r.place(i)
		return isSpaced(column, len(r.columns), spacing) && isSpaced(row, len(r.rows), spacing)
	})
	share := 0.5 // of the progress
	if err := r.readBlocks(ctx, chosen, 0, share); err != nil {
		return err
	}
	candidates := slices.Clone(rest)
	for {
		uncertain := slices.DeleteFunc(candidates, func(i int) bool { return !r.isUncertain(i, spacing) })
		if len(uncertain) == 0 {
			break
		}
		nextShare := (1 + share) / 2 // how many more passes follow is not known
		if err := r.readBlocks(ctx, uncertain, share, nextShare); err != nil {
			return err
		}
		share = nextShare
		candidates = r.unreadAround(uncertain) // only their neighbours can have become uncertain
	}
	inferred := 0
	for _, i := range rest {
		if r.states[i] != blockUnread {
			continue
		}
		inferred++
		if r.expectedState(i, spacing) == blockFull {
			r.fill(i)
		}
	}
	r.inferred = float64(inferred) / float64(len(r.states))
	r.progress(1)
	return nil
}

// spacingFor returns how many blocks it is from one evenly spaced block to the next, so that these blocks
// have about half of maxDecoded if all blocks have decodedSize bytes.
func (r *blockReader) spacingFor(decodedSize float64) int {
	blocksPerRead := 2 * decodedSize / float64(maxDecoded)
	isLine := len(r.columns) == 1 || len(r.rows) == 1
	if isLine {
		return min(int(math.Ceil(blocksPerRead)), maxSpacing)
	}
	return min(int(math.Ceil(math.Sqrt(blocksPerRead))), maxSpacing)
}

// split returns the blocks that are chosen, and the others.
func split(blocks []int, isChosen func(i int) bool) (chosen, rest []int) {
	for _, i := range blocks {
		if isChosen(i) {
			chosen = append(chosen, i)
		} else {
			rest = append(rest, i)
		}
	}
	return chosen, rest
}

// isSpaced reports whether a column or row is one of those that are evenly spaced, or the last of n.
func isSpaced(i, n, spacing int) bool { return i%spacing == 0 || i == n-1 }

// expectedState returns the state of the four spaced blocks around a block, or blockMixed if they differ
// or the stored size of the block does not fit.
func (r *blockReader) expectedState(i, spacing int) blockState {
	column, row := r.place(i)
	left := column / spacing * spacing
	top := row / spacing * spacing
	right := min(left+spacing, len(r.columns)-1)
	bottom := min(top+spacing, len(r.rows)-1)
	corners := [4]int{
		top*len(r.columns) + left, top*len(r.columns) + right,
		bottom*len(r.columns) + left, bottom*len(r.columns) + right,
	}
	state := r.states[corners[0]]
	smallest := math.Inf(1)
	largest := 0.0
	for _, corner := range corners {
		if r.states[corner] != state {
			return blockMixed
		}
		size := float64(r.storedSize(corner))
		smallest = min(smallest, size)
		largest = max(largest, size)
	}
	size := float64(r.storedSize(i))
	isTooSmall := state == blockFull && size < leastFull*smallest
	isTooLarge := state == blockEmpty && size > mostEmpty*largest
	if isTooSmall || isTooLarge {
		return blockMixed
	}
	return state
}

// isUncertain reports whether a block must be read: the blocks around it differ, or a block next to it that
// was read is not as expected.
func (r *blockReader) isUncertain(i, spacing int) bool {
	expected := r.expectedState(i, spacing)
	if expected == blockMixed {
		return true
	}
	column, row := r.place(i)
	for y := max(0, row-1); y <= min(row+1, len(r.rows)-1); y++ {
		for x := max(0, column-1); x <= min(column+1, len(r.columns)-1); x++ {
			state := r.states[y*len(r.columns)+x]
			if state != blockUnread && state != expected {
				return true
			}
		}
	}
	return false
}

// unreadAround returns the unread blocks next to blocks.
func (r *blockReader) unreadAround(blocks []int) (around []int) {
	for _, i := range blocks {
		column, row := r.place(i)
		for y := max(0, row-1); y <= min(row+1, len(r.rows)-1); y++ {
			for x := max(0, column-1); x <= min(column+1, len(r.columns)-1); x++ {
				next := y*len(r.columns) + x
				if r.states[next] == blockUnread {
					around = append(around, next)
				}
			}
		}
	}
	slices.Sort(around)
	return slices.Compact(around)
}

// readBlocks reads blocks, several at once. The progress goes from one share to another; it is
// reported by one goroutine at a time.
func (r *blockReader) readBlocks(ctx context.Context, blocks []int, from, to float64) error {
	var mu sync.Mutex
	done := 0
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, i := range blocks {
		if reading.Err() != nil {
			break
		}
		read := func() error {
			if err := r.readBlock(reading, i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			share := float64(done) / float64(len(blocks))
			r.progress(from + (to-from)*share)
			return nil
		}
		group.Go(func() error { return api.Guard(read) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// cellPixel returns the pixel that is read for a cell.
func cellPixel(cell, size, step int) int { return min(cell*step+step/2, size-1) }

// cellRange returns the range of cells whose pixels are from a pixel on, and before another one.
func cellRange(from, to, size, step int) (first, end int) {
	first = from / step
	for first > 0 && cellPixel(first-1, size, step) >= from {
		first--
	}
	for first*step < size && cellPixel(first, size, step) < from {
		first++
	}
	end = first
	for end*step < size && cellPixel(end, size, step) < to {
		end++
	}
	return first, end
}

// cellBox is a range of cells.
type cellBox struct{ left, top, right, bottom int }

// cellsOf returns the cells whose pixels are in a block.
func (r *blockReader) cellsOf(i int) (box cellBox) {
	m := r.image
	column, row := r.place(i)
	x := r.columns[column] * m.blockWidth
	y := r.rows[row] * m.blockHeight
	box.left, box.right = cellRange(x, min(x+m.blockWidth, m.width), m.width, r.step)
	box.top, box.bottom = cellRange(y, min(y+m.blockHeight, m.height), m.height, r.step)
	return box
}

// fill makes all cells of a block valid.
func (r *blockReader) fill(i int) {
	box := r.cellsOf(i)
	for y := box.top; y < box.bottom; y++ {
		for x := box.left; x < box.right; x++ {
			r.cells[y*r.grid.width+x] = true
		}
	}
}

// readBlock marks the valid cells of a block. Pixels after the end of a damaged block are invalid.
func (r *blockReader) readBlock(ctx context.Context, i int) error {
	m := r.image
	number := r.numberOf(i)
	rows, err := m.openBlock(r.table.offsets[number], r.table.sizes[number])
	if err != nil {
		return err
	}
	box := r.cellsOf(i)
	firstX := number % m.across * m.blockWidth // the first pixel of the block
	firstY := number / m.across * m.blockHeight
	valid := 0
	for y := box.top; y < box.bottom; y++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row, err := rows.readRow(cellPixel(y, m.height, r.step) - firstY)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.New("its compressed pixels are damaged")
		}
		if m.hasDifferences() {
			row = bytes.Clone(row)
			m.undoPredictor(row)
		}
		cells := r.cells[y*r.grid.width:][:r.grid.width]
		for x := box.left; x < box.right; x++ {
			if r.isValid(row, cellPixel(x, m.width, r.step)-firstX) {
				cells[x] = true
				valid++
			}
		}
	}
	cellCount := (box.right - box.left) * (box.bottom - box.top)
	switch valid {
	case 0:
		r.states[i] = blockEmpty
	case cellCount:
		r.states[i] = blockFull
	default:
		r.states[i] = blockMixed
	}
	return nil
}
