/// Takes the rows of a COPY in binary format. Valid inside the closure that received it, not after.
public struct CopyWriter {
    /// Pieces of this size keep memory small and the network busy.
    private static let pieceSize = 64 * 1024

    private let send: ([UInt8]) throws -> Void
    @usableFromInline var buffer: [UInt8] = []

    init(_ send: @escaping ([UInt8]) throws -> Void) {
        self.send = send
        buffer.reserveCapacity(Self.pieceSize + 1024)
        // The signature: PGCOPY, and bytes that show if a transfer has changed line ends or dropped the eighth bit.
        buffer.append(contentsOf: "PGCOPY\n".utf8)
        buffer.append(contentsOf: [0xff, 0x0d, 0x0a, 0x00])
        buffer.appendBigEndian(Int32(0))  // flags
        buffer.appendBigEndian(Int32(0))  // length of the header's extension
    }

    /// Adds a row. Types must be those of the columns exactly: a COPY in binary format converts nothing.
    ///
    /// - Parameter value: One value for each column, in the order of the COPY.
    /// - Throws: ``PostgresError`` if a value cannot be sent or the connection is lost; `CancellationError` if the task
    ///   is cancelled. Let it through, so that the COPY is aborted.
    @inlinable
    public mutating func append<each Value: PostgresEncodable>(_ value: repeat each Value) throws {
        let start = buffer.count
        buffer.appendBigEndian(Int16(0))
        var column = 0
        do {
            for value in repeat each value {
                column += 1
                try buffer.appendCheckedField(value, number: column)
            }
        } catch {
            // Half a row must not be sent, whatever the caller does with the error.
            buffer.removeSubrange(start...)
            throw error
        }
        // A table has 1,600 columns at most.
        buffer[start] = UInt8(truncatingIfNeeded: column >> 8)
        buffer[start + 1] = UInt8(truncatingIfNeeded: column)
        try flushIfLong()
    }

    /// Sends the trailer and what is left.
    mutating func finish() throws {
        buffer.appendBigEndian(Int16(-1))
        try flush()
    }

    @usableFromInline
    mutating func flushIfLong() throws {
        if buffer.count >= Self.pieceSize { try flush() }
    }

    private mutating func flush() throws {
        try Task.checkCancellation()
        try send(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
