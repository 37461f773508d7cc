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

	// Limits for guessing the state of a block from its compressed size, compared with the blocks around it. A block
	// between full blocks is read if it is smaller than leastFull times their size: it can have empty pixels. A block
	// between empty blocks is read if it is larger than mostEmpty times their size: it can have valid pixels.
	leastFull = 0.6
	mostEmpty = 1.5
)

// blockState says whether a block has valid pixels: none, only valid pixels, or both kinds.
type blockState uint8

const (
	blockUnread blockState = iota
	blockEmpty
	blockFull
	blockMixed
)

// blockReader finds out which cells of a footprint's grid are valid. A cell is valid if the pixel in its middle is
// valid. The blocks of the image that contain the middle pixel of a cell are called used blocks. The other blocks are
// never read. In the methods, i is the index of a block among the used blocks.
type blockReader struct {
	validity
	grid     *Footprint
	cells    []bool // result: the valid cells of the grid, row by row
	step     int    // side of a cell in pixels
	progress func(share float64)

	table         blockTable
	columns, rows []int        // columns and rows of the used blocks
	states        []blockState // states of the used blocks, row by row
	inferred      float64      // share of the used blocks that were not read
}

// read finds the valid cells. It reads all used blocks, unless the image is compressed and large. From a
// large image it reads some blocks, and infers the state of the other blocks from the blocks around them.
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

// setSparse sets the state of a block that is not stored in the file. All its pixels have the nodata
// value, or 0 if the image has no nodata value.
func (r *blockReader) setSparse(i int) {
	if r.basis == BasisNoData && r.noData == nil { // only NaN is invalid, so 0 is valid
		r.fill(i)
		r.states[i] = blockFull
		return
	}
	r.states[i] = blockEmpty
}

// usedBlocks returns the indexes of the used blocks in a row or column of blocks. count is the number
// of all its blocks, and size is its length in pixels.
func usedBlocks(count, blockSize, size, step int) (used []int) {
	for i := range count {
		first, end := cellRange(i*blockSize, min((i+1)*blockSize, size), size, step)
		if first < end {
			used = append(used, i)
		}
	}
	return used
}

// place returns the position of the used block i: indexes into r.columns and r.rows.
func (r *blockReader) place(i int) (column, row int) { return i % len(r.columns), i / len(r.columns) }

// numberOf returns the number of the used block i among all blocks of the image, counted row by row.
func (r *blockReader) numberOf(i int) int {
	column, row := r.place(i)
	return r.rows[row]*r.image.across + r.columns[column]
}

func (r *blockReader) storedSize(i int) uint64 { return r.table.sizes[r.numberOf(i)] }

// spacedShare is the progress that is reported when the evenly spaced blocks were read. The other blocks follow.
const spacedShare = 0.5

// readSome reads evenly spaced blocks (see isSpaced), and then the blocks whose state cannot be
// inferred from them. It infers the state of all other blocks.
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

// readUncertain reads those of the given blocks whose state cannot be inferred. Reading a block can show that
// its neighbours cannot be inferred either. readUncertain therefore repeats until no such block is left.
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

// inferUnread infers the state of the given blocks that were not read, and marks their cells as valid
// if the state is full.
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

// spacingFor returns the distance between evenly spaced blocks, counted in blocks. The distance is chosen so that
// the evenly spaced blocks have about maxDecoded/2 bytes. decodedSize is the decompressed size of all used blocks.
func (r *blockReader) spacingFor(decodedSize float64) int {
	blocksPerRead := 2 * decodedSize / float64(maxDecoded)
	isLine := len(r.columns) == 1 || len(r.rows) == 1
	if isLine {
		return min(int(math.Ceil(blocksPerRead)), maxSpacing)
	}
	return min(int(math.Ceil(math.Sqrt(blocksPerRead))), maxSpacing)
}

// split divides blocks into the blocks for which isChosen returns true and the rest.
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

// isSpaced reports whether the column (or row) i of count is read in any case: every spacing-th
// column, and the last.
func isSpaced(i, count, spacing int) bool { return i%spacing == 0 || i == count-1 }

// expectedState guesses the state of a block from the four spaced blocks around it. It returns blockMixed
// if they have different states, or if the compressed size of the block suggests another state.
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

// spacedAround returns the indexes of the four evenly spaced blocks around block i (see isSpaced). They are the
// corners of the smallest rectangle that contains the block: top left, top right, bottom left, bottom right.
func (r *blockReader) spacedAround(i, spacing int) [4]int {
	column, row := r.place(i)
	left := column / spacing * spacing
	top := row / spacing * spacing
	right := min(left+spacing, len(r.columns)-1)
	bottom := min(top+spacing, len(r.rows)-1)
	across := len(r.columns)
	return [4]int{top*across + left, top*across + right, bottom*across + left, bottom*across + right}
}

// isUncertain reports whether a block must be read because its state cannot be inferred: the spaced
// blocks around it differ, or an adjacent block that was read differs from them.
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

// unreadAround returns the unread blocks that are adjacent to the given blocks.
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

// readBlocks reads blocks concurrently. It reports progress from the share from to the share to, and
// never calls r.progress concurrently.
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

// cellPixel returns the column (or row) of the pixel that decides whether a cell is valid: the pixel in its middle.
func cellPixel(cell, size, step int) int { return min(cell*step+step/2, size-1) }

// cellRange returns the cells whose middle pixel is in a range of columns (or rows). first and
// firstPixel are included, end and endPixel are not. size is the width (or height) of the image.
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

// cellBox is a rectangle of cells in the footprint's grid, without the column right and the row bottom.
type cellBox struct{ left, top, right, bottom int }

// cellsOf returns the cells whose middle pixel is in block i.
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

// readBlock decodes a block and marks its valid cells. If the data of the block ends early, the
// remaining cells stay invalid.
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

// markValidCells marks the valid cells of a block in one row of cells and returns their number. row
// has the pixels of the block; its first pixel is in column firstX of the image.
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
