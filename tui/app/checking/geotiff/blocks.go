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

// maxDecoded limits the memory for pixels: all blocks of an image are read only if their decompressed pixels
// have at most maxDecoded bytes. Tests change it.
var maxDecoded = 768 << 20

const (
	maxSpacing = 8 // largest distance between evenly spaced blocks, in blocks

	// If the stored size of a block is much smaller than the full blocks around it, the block can have pixels
	// without data. If it is larger than the empty blocks around it, the block can have data.
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

// blockReader finds the valid cells of a grid. A cell is valid if the pixel in its middle is valid. Blocks of
// the image that contain such middle pixels are called used blocks; the other blocks are not read. In the
// methods, i is the index of a block among the used blocks.
type blockReader struct {
	validity
	grid     *Footprint
	cells    []bool // of the grid
	step     int    // pixels from one cell to the next
	progress func(share float64)

	table         blockTable
	columns, rows []int        // columns and rows of the used blocks
	states        []blockState // of the used blocks, row by row
	inferred      float64      // share of the used blocks that were not read
}

// read sets the cells that are valid. It reads all used blocks of an image, unless the image is compressed
// and large. Then it reads some blocks, and infers the state of other blocks from the blocks around them.
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

// setSparse sets the state of a block that is not stored. Its pixels have the nodata value, or 0 if the
// image has no nodata value.
func (r *blockReader) setSparse(i int) {
	if r.basis == BasisNoData && r.noData == nil { // only NaN is invalid, so 0 is valid
		r.fill(i)
		r.states[i] = blockFull
		return
	}
	r.states[i] = blockEmpty
}

// usedBlocks returns the used blocks of a row (or a column) of blocks: the blocks with the pixel of a cell.
// The row has count blocks and size pixels.
func usedBlocks(count, blockSize, size, step int) (used []int) {
	for i := range count {
		first, end := cellRange(i*blockSize, min((i+1)*blockSize, size), size, step)
		if first < end {
			used = append(used, i)
		}
	}
	return used
}

// place returns the column and the row of a block among the used blocks.
func (r *blockReader) place(i int) (column, row int) { return i % len(r.columns), i / len(r.columns) }

// numberOf returns the number of a block among all blocks of the image.
func (r *blockReader) numberOf(i int) int {
	column, row := r.place(i)
	return r.rows[row]*r.image.across + r.columns[column]
}

func (r *blockReader) storedSize(i int) uint64 { return r.table.sizes[r.numberOf(i)] }

// spacedShare is the share of the progress for reading the evenly spaced blocks.
const spacedShare = 0.5

// readSome reads the evenly spaced blocks (see isSpaced), and then the blocks with an uncertain state. It infers the
// state of the other blocks.
func (r *blockReader) readSome(ctx context.Context, blocks []int, spacing int) error {
	isSpacedBlock := func(i int) bool {
		column, row := r.place(i)
		return isSpaced(column, len(r.columns), spacing) && isSpaced(row, len(r.rows), spacing)
	}
	spaced, others := split(blocks, isSpacedBlock)
	if err := r.readBlocks(ctx, spaced, 0, spacedShare); err != nil {
		return err
	}
	if err := r.readUncertain(ctx, others, spacing); err != nil {
		return err
	}
	r.inferUnread(others, spacing)
	r.progress(1)
	return nil
}

// readUncertain reads the uncertain blocks among the given blocks. A block that was read can make the
// blocks next to it uncertain, so it needs several passes.
func (r *blockReader) readUncertain(ctx context.Context, blocks []int, spacing int) error {
	isUncertain := func(i int) bool { return r.isUncertain(i, spacing) }
	progress := spacedShare // so far
	uncertain, _ := split(blocks, isUncertain)
	for len(uncertain) > 0 {
		progressAfter := (1 + progress) / 2 // half of the rest, because the number of passes is not known
		if err := r.readBlocks(ctx, uncertain, progress, progressAfter); err != nil {
			return err
		}
		progress = progressAfter
		uncertain, _ = split(r.unreadAround(uncertain), isUncertain)
	}
	return nil
}

// inferUnread sets the cells of the unread blocks among the given blocks. Their state follows from the
// spaced blocks around them.
func (r *blockReader) inferUnread(blocks []int, spacing int) {
	inferred := 0
	for _, i := range blocks {
		if r.states[i] != blockUnread {
			continue
		}
		inferred++
		if r.expectedState(i, spacing) == blockFull {
			r.fill(i)
		}
	}
	r.inferred = float64(inferred) / float64(len(r.states))
}

// spacingFor returns the distance between evenly spaced blocks, in blocks. It is chosen so that the spaced
// blocks have about half of maxDecoded bytes. decodedSize is the size of all blocks in bytes.
func (r *blockReader) spacingFor(decodedSize float64) int {
	blocksPerRead := 2 * decodedSize / float64(maxDecoded)
	isLine := len(r.columns) == 1 || len(r.rows) == 1
	if isLine {
		return min(int(math.Ceil(blocksPerRead)), maxSpacing)
	}
	return min(int(math.Ceil(math.Sqrt(blocksPerRead))), maxSpacing)
}

// split separates the blocks for which isChosen returns true from the rest.
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

// isSpaced reports whether column i of count columns is one of the evenly spaced columns, or the last
// column. It does the same for rows.
func isSpaced(i, count, spacing int) bool { return i%spacing == 0 || i == count-1 }

// expectedState returns the state of the four spaced blocks around a block, or blockMixed if they differ
// or the stored size of the block does not fit.
func (r *blockReader) expectedState(i, spacing int) blockState {
	corners := r.spacedAround(i, spacing)
	state := r.states[corners[0]]
	smallest := math.Inf(1) // stored sizes of the corners
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
	mayBePartlyEmpty := state == blockFull && size < leastFull*smallest // pixels without data need few bytes
	mayHaveData := state == blockEmpty && size > mostEmpty*largest      // data needs more bytes than an empty block
	if mayBePartlyEmpty || mayHaveData {
		return blockMixed
	}
	return state
}

// spacedAround returns the four spaced blocks that are the corners of the square or rectangle around a block.
func (r *blockReader) spacedAround(i, spacing int) [4]int {
	column, row := r.place(i)
	left := column / spacing * spacing
	top := row / spacing * spacing
	right := min(left+spacing, len(r.columns)-1)
	bottom := min(top+spacing, len(r.rows)-1)
	across := len(r.columns)
	return [4]int{top*across + left, top*across + right, bottom*across + left, bottom*across + right}
}

// isUncertain reports whether a block must be read, because its state cannot be inferred. That is so if the spaced
// blocks around it differ. It is also so if a block next to it was read and its state differs from the spaced blocks.
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

// readBlocks reads blocks, several at once. The reported progress rises from the value from to the value to. It is
// reported by one goroutine at a time.
func (r *blockReader) readBlocks(ctx context.Context, blocks []int, from, to float64) error {
	var mu sync.Mutex
	done := 0
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	reportBlock := func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		doneShare := float64(done) / float64(len(blocks))
		r.progress(from + (to-from)*doneShare)
	}
	for _, i := range blocks {
		if reading.Err() != nil { // a block failed or ctx has ended, so do not start more
			break
		}
		read := func() error {
			if err := r.readBlock(reading, i); err != nil {
				return err
			}
			reportBlock()
			return nil
		}
		group.Go(func() error { return api.Guard(read) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil { // not all blocks were started
		return context.Cause(ctx)
	}
	return nil
}

// cellPixel returns the pixel that is read for a cell.
func cellPixel(cell, size, step int) int { return min(cell*step+step/2, size-1) }

// cellRange returns the cells that have their pixel in a range of pixels. Both ranges begin with first and stop
// before end. size is the number of pixels of the image in the direction of the range.
func cellRange(firstPixel, endPixel, size, step int) (first, end int) {
	first = firstPixel / step
	for first > 0 && cellPixel(first-1, size, step) >= firstPixel {
		first--
	}
	for first*step < size && cellPixel(first, size, step) < firstPixel {
		first++
	}
	end = first
	for end*step < size && cellPixel(end, size, step) < endPixel {
		end++
	}
	return first, end
}

// cellBox is a range of cells.
type cellBox struct{ left, top, right, bottom int }

// cellsOf returns the cells that have their pixel in a block.
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
	number := r.numberOf(i) // among all blocks of the image
	rows, err := m.openBlock(r.table.offsets[number], r.table.sizes[number])
	if err != nil {
		return err
	}
	box := r.cellsOf(i)
	firstX := (number % m.across) * m.blockWidth // the first pixel of the block
	firstY := (number / m.across) * m.blockHeight
	valid := 0
	for cellY := box.top; cellY < box.bottom; cellY++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		y := cellPixel(cellY, m.height, r.step)
		row, err := rows.readRow(y - firstY)
		if errors.Is(err, io.EOF) { // the cells that follow stay invalid
			break
		}
		if err != nil {
			return errors.New("its compressed pixels are damaged")
		}
		if m.hasDifferences() {
			row = bytes.Clone(row) // rows keeps the stored row and may return it again
			m.undoPredictor(row)
		}
		valid += r.markValidCells(row, firstX, cellY, box)
	}
	r.states[i] = stateOf(valid, (box.right-box.left)*(box.bottom-box.top))
	return nil
}

// markValidCells marks the valid cells of a block in one row of cells and returns their number. row has the
// pixels of the block, from pixel firstX of the image.
func (r *blockReader) markValidCells(row []byte, firstX, cellY int, box cellBox) int {
	valid := 0
	cells := r.cells[cellY*r.grid.width:][:r.grid.width]
	for cellX := box.left; cellX < box.right; cellX++ {
		x := cellPixel(cellX, r.image.width, r.step)
		if r.isValid(row, x-firstX) {
			cells[cellX] = true
			valid++
		}
	}
	return valid
}

// stateOf returns the state of a block from the number of its cells and the number of valid cells among them.
func stateOf(valid, cells int) blockState {
	switch valid {
	case 0:
		return blockEmpty
	case cells:
		return blockFull
	}
	return blockMixed
}
